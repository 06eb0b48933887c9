"""The child process of the lane gguf: llama.cpp's server until its standard input closes. It imports nothing of demur.

It prints the server's address as soon as the model is loaded.
"""

import json
import os
import sys

ERRORS_ONLY = 1


def main(path: str, slots: int, context: int, threads: int) -> None:
    """Start the server, print its address, and wait for the end of the standard input."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_parallel, params.n_ctx = slots, slots * context
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.verbosity = ERRORS_ONLY
    server = xllamacpp.Server(params)  # returns when the model is loaded
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
