"""The child process of the lane gguf: llama.cpp's server until its standard input closes. It imports nothing of demur.

It writes the server's address to its standard output as soon as the model is loaded. What libraries print goes to its
standard error.
"""

import fcntl
import json
import os
import sys
import threading

ERRORS_ONLY = 1


def main(path: str, slots: int, context: int, threads: int) -> None:
    """Start the server, write its address, and end with the standard input, also while the model is loaded."""
    address = os.dup(1)
    os.dup2(2, 1)  # what libraries print
    watch = threading.Thread(target=_end_with_input, daemon=True)
    if hasattr(os, "O_ASYNC"):
        # While llama.cpp loads the model, it holds Python's lock, and the watching thread cannot run. With O_ASYNC the
        # system sends a signal when the standard input closes. The signal's default action ends the process.
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    watch.start()
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_parallel, params.n_ctx = slots, slots * context
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.verbosity = ERRORS_ONLY
    server = xllamacpp.Server(params)  # returns when the model is loaded
    try:
        os.write(address, f"{server.listening_address}/v1\n".encode())
    except BrokenPipeError:
        os._exit(0)
    watch.join()


def _end_with_input() -> None:
    while os.read(0, 4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
