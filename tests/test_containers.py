"""Image, compose file and manifests fit together and hold no secret; their own linters run in `make lint`."""

import os
import re
from pathlib import Path
from typing import Any

import yaml
from typer.main import get_command

from demur.cli import app

ROOT = Path(__file__).parents[1]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
MANIFESTS = ROOT / "deployments" / "kubernetes"
HOME = "s3://demur/home"
DISK = "/srv/demur"


def documents() -> list[dict[str, Any]]:
    texts = [path.read_text("utf-8") for path in sorted(MANIFESTS.glob("*.yaml"))]
    return [document for text in texts for document in yaml.safe_load_all(text) if document]


def containers() -> list[dict[str, Any]]:
    return [
        one for d in documents() if d["kind"] == "Deployment" for one in d["spec"]["template"]["spec"]["containers"]
    ]


def test_compose_services_name_services_and_volumes_that_are_there() -> None:
    services = COMPOSE["services"]
    for service in services.values():
        assert service.get("depends_on", {}).keys() <= services.keys()
        assert {volume.partition(":")[0] for volume in service.get("volumes", ())} <= COMPOSE["volumes"].keys()
        if "build" in service:
            build = service["build"]
            assert (ROOT / build["context"] / build["dockerfile"]).resolve().is_file()
    assert services["worker"]["deploy"]["replicas"] == 2


def test_compose_publishes_ports_to_this_machine_alone() -> None:
    ports = [port for service in COMPOSE["services"].values() for port in service.get("ports", ())]
    assert ports and all(port.startswith("127.0.0.1:") for port in ports)


def test_commands_of_containers_exist_with_their_options() -> None:
    named = [service.get("command", []) for service in COMPOSE["services"].values()]
    ours = [words for words in [*named, *(one["command"] for one in containers())] if words and words[0] == "demur"]
    assert ours == [["demur", "explore", "--host", "0.0.0.0"]]
    for _, name, *arguments in ours:
        command = get_command(app).commands[name]  # type: ignore[attr-defined]
        assert {word for word in arguments if word.startswith("--")} <= {o for p in command.params for o in p.opts}


def test_every_worker_has_the_same_store_and_state_and_works_on_the_volume_of_the_image() -> None:
    image = (ROOT / "Containerfile").read_text("utf-8")
    assert f"DEMUR_HOME={DISK}" in image and f"DEMUR_CACHE={DISK}/cache" in image and f"VOLUME {DISK}" in image
    assert {"state", "store"} <= set(re.findall(r"^ARG EXTRAS=(.*)$", image, re.M)[0].split(","))
    for name in ("worker", "explorer"):
        service = COMPOSE["services"][name]
        assert service["environment"]["DEMUR_HOME"] == HOME and "DEMUR_STATE" in service["environment"]
        assert [volume.partition(":")[2] for volume in service["volumes"]] == [DISK]
    [worker] = [one for one in containers() if one["name"] == "worker"]
    assert {"name": "DEMUR_HOME", "value": HOME} in worker["env"]
    assert "DEMUR_STATE" in {entry["name"] for entry in worker["env"]}
    assert [mount["mountPath"] for mount in worker["volumeMounts"]] == [DISK]


def test_folder_of_manifests_holds_nothing_that_kubectl_cannot_apply() -> None:
    assert {path.suffix for path in MANIFESTS.iterdir()} == {".yaml"}
    assert {(one["kind"], one["metadata"]["name"]) for one in documents()} == {
        ("Deployment", "prefect-server"), ("Service", "prefect-server"), ("Job", "demur-deploy"),
        ("Deployment", "demur-worker"),
    }  # fmt: skip


def test_containers_deploy_with_the_script_and_the_files_that_the_image_has() -> None:
    image = (ROOT / "Containerfile").read_text("utf-8")
    copied = re.findall(r"^COPY constraints.txt (.*) /opt/demur/$", image, re.M)[0].split()
    assert copied == [f"demur/deployments/{name}" for name in ("prefect.yaml", "automations.yaml", "deploy")]
    assert os.access(ROOT / "deployments" / "deploy", os.X_OK)
    [job] = [document for document in documents() if document["kind"] == "Job"]
    [container] = job["spec"]["template"]["spec"]["containers"]
    assert container["command"] == COMPOSE["services"]["deploy"]["command"] == ["/opt/demur/deploy"]


def test_image_runs_as_nobody_in_particular_and_pins_its_packages() -> None:
    final = (ROOT / "Containerfile").read_text("utf-8").rpartition("\nFROM ")[2]
    assert re.search(r"^USER (\d+):\d+$", final, re.M)
    assert "-c /opt/demur/constraints.txt" in final
    for document in documents():
        if document["kind"] == "Deployment":
            assert document["spec"]["template"]["spec"]["securityContext"]["runAsNonRoot"] is True


def test_secrets_are_named_and_not_written() -> None:
    secret = re.compile("KEY|PASSWORD|CONNECTION_URL|STATE")
    services = [service.get("environment", {}) for service in COMPOSE["services"].values()]
    written = [value for values in services for name, value in values.items() if secret.search(name)]
    assert written and all("${" in value for value in written)
    entries = [entry for one in containers() for entry in one["env"] if secret.search(entry["name"])]
    assert entries and all("secretKeyRef" in entry["valueFrom"] for entry in entries)
