"""Image, compose file and manifests fit together and hold no secret; their own linters run in `make lint`."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from demur.cli import app

ROOT = Path(__file__).parents[1]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
MANIFESTS = ROOT / "deployments" / "kubernetes"
DISK = "/srv/demur"


KUSTOMIZATION = yaml.safe_load((MANIFESTS / "kustomization.yaml").read_text("utf-8"))


def documents() -> list[dict[str, Any]]:
    texts = [(MANIFESTS / name).read_text("utf-8") for name in KUSTOMIZATION["resources"]]
    return [document for text in texts for document in yaml.safe_load_all(text) if document]


def pods() -> list[dict[str, Any]]:
    return [one["spec"]["template"]["spec"] for one in documents() if one["kind"] in ("Deployment", "Job")]


def containers() -> list[dict[str, Any]]:
    return [container for pod in pods() for container in pod["containers"]]


def settings() -> dict[str, str]:
    [generated] = KUSTOMIZATION["configMapGenerator"]
    return dict(entry.split("=", 1) for entry in generated["literals"])


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
    assert ours == [["demur", "explore", "--host", "0.0.0.0", "--read-only"]] * 2
    for _, name, *arguments in ours:
        command = get_command(app).commands[name]  # type: ignore[attr-defined]
        assert {word for word in arguments if word.startswith("--")} <= {o for p in command.params for o in p.opts}


def test_every_worker_has_the_same_home_and_state() -> None:
    image = (ROOT / "Containerfile").read_text("utf-8")
    assert f"DEMUR_HOME={DISK}" in image and f"VOLUME {DISK}" in image
    packages = (ROOT / "requirements.txt").read_text("utf-8")
    assert all(re.search(rf"^{name}==", packages, re.M) for name in ("psycopg-pool", "prefect-dask"))
    for name in ("worker", "explorer"):
        service = COMPOSE["services"][name]
        assert service["environment"]["DEMUR_HOME"] == DISK and "DEMUR_STATE" in service["environment"]
        assert service["volumes"] == [f"home:{DISK}"]
    [worker] = [one for one in containers() if one["name"] == "worker"]
    assert settings()["DEMUR_HOME"] == DISK
    assert all({"configMapRef": {"name": "demur-settings"}} in one["envFrom"] for one in containers())
    assert "DEMUR_STATE" in {entry["name"] for entry in worker["env"]}
    assert [mount["mountPath"] for mount in worker["volumeMounts"]] == [DISK, "/tmp"]


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
def test_kustomization_makes_manifests_that_kubernetes_takes(tmp_path: Path) -> None:
    done = subprocess.run(["kubectl", "kustomize", str(MANIFESTS)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    made = tmp_path / "made.yaml"
    made.write_text(done.stdout, encoding="utf-8")
    found = [one for one in yaml.safe_load_all(done.stdout) if one]
    assert {(one["kind"], one["metadata"]["name"].partition("settings-")[0]) for one in found} == {
        ("Namespace", "demur"), ("ConfigMap", "demur-"), ("PersistentVolumeClaim", "demur-home"),
        ("Deployment", "prefect-server"),
        ("Service", "prefect-server"), ("Job", "demur-deploy"), ("Deployment", "demur-worker"),
        ("PodDisruptionBudget", "demur-worker"), ("Deployment", "demur-explorer"), ("Service", "demur-explorer"),
        ("NetworkPolicy", "nothing-else"), ("NetworkPolicy", "names-database-and-models"),
        ("NetworkPolicy", "to-server"), ("NetworkPolicy", "into-server"), ("NetworkPolicy", "into-explorer"),
    }  # fmt: skip
    assert {one["metadata"].get("namespace") for one in found if one["kind"] != "Namespace"} == {"demur"}
    assert {
        container["image"]
        for one in found if one["kind"] in ("Deployment", "Job")
        for container in one["spec"]["template"]["spec"]["containers"]
    } == {COMPOSE["services"]["worker"]["image"]}  # fmt: skip
    validate = [Path(sys.executable).parent / "kubernetes-validate", "--strict", "--quiet", made]
    assert subprocess.run(validate, capture_output=True).returncode == 0


def test_pods_ask_for_no_more_than_the_restricted_standard_gives() -> None:
    namespace = next(one for one in documents() if one["kind"] == "Namespace")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    for pod in pods():
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] == 10001
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert all("persistentVolumeClaim" in one or one["emptyDir"]["sizeLimit"] for one in pod["volumes"])
        for one in pod["containers"]:
            assert one["securityContext"] == {
                "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
            }  # fmt: skip
            assert one["resources"]["requests"].keys() >= {"cpu", "memory"} and "memory" in one["resources"]["limits"]


def test_what_runs_in_compose_is_confined_as_in_a_cluster() -> None:
    for name in ("server", "deploy", "worker", "explorer"):
        service = COMPOSE["services"][name]
        assert service["read_only"] and service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]


def test_probes_ask_what_processes_serve() -> None:
    [worker] = [one for one in containers() if one["name"] == "worker"]
    assert "--with-healthcheck" in worker["command"]
    assert "httpGet" in worker["livenessProbe"], "a state that is away makes a worker unready and kills none"
    assert worker["command"] == COMPOSE["services"]["worker"]["command"]
    probed = {one["name"]: {probe for probe in one if probe.endswith("Probe")} for one in containers()}
    assert probed == {
        "server": {"startupProbe", "livenessProbe", "readinessProbe"}, "worker": {"livenessProbe", "readinessProbe"},
        "explorer": {"startupProbe", "livenessProbe", "readinessProbe"}, "deploy": set(),
    }  # fmt: skip
    for one in containers():
        ports = {port["name"] for port in one.get("ports", ())}
        handlers = [next(v for v in one[probe].values() if isinstance(v, dict)) for probe in probed[one["name"]]]
        assert {handler["port"] for handler in handlers if "port" in handler} <= ports
        asked = [handler["command"] for handler in handlers if "command" in handler]
        assert asked == ([["demur", "health"]] if one["name"] == "worker" else [])
    assert "health" in get_command(app).commands  # type: ignore[attr-defined]
    assert COMPOSE["services"]["worker"]["healthcheck"]["test"][-1].endswith(" && demur health")


def test_containers_deploy_with_the_script_and_the_files_that_the_image_has() -> None:
    image = (ROOT / "Containerfile").read_text("utf-8")
    copied = re.findall(r"^COPY (demur/deployments/.*) /opt/demur/$", image, re.M)[0].split()
    assert copied == [f"demur/deployments/{name}" for name in ("prefect.yaml", "automations.yaml", "deploy")]
    assert os.access(ROOT / "deployments" / "deploy", os.X_OK)
    [job] = [document for document in documents() if document["kind"] == "Job"]
    [container] = job["spec"]["template"]["spec"]["containers"]
    assert container["command"] == COMPOSE["services"]["deploy"]["command"] == ["/opt/demur/deploy"]


def test_commit_reaches_the_image_by_a_build_argument() -> None:
    image = (ROOT / "Containerfile").read_text("utf-8")
    stages = image.split("\nFROM ")[1:]
    assert all('\nARG COMMIT=""\n' in stage for stage in stages)
    assert 'RUN DEMUR_COMMIT="${COMMIT}" python -m pip wheel' in stages[0]
    built = [service["build"] for service in COMPOSE["services"].values() if "build" in service]
    assert built and all(build["args"] == {"COMMIT": "${DEMUR_COMMIT:-}"} for build in built)


def test_image_runs_as_nobody_in_particular_and_pins_its_packages() -> None:
    final = (ROOT / "Containerfile").read_text("utf-8").rpartition("\nFROM ")[2]
    assert re.search(r"^USER (\d+):\d+$", final, re.M)
    assert "--require-hashes -r /opt/demur/requirements.txt" in final


def test_requirements_are_the_pins_with_hashes_and_name_no_place() -> None:
    text = (ROOT / "requirements.txt").read_text("utf-8")
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text("utf-8"), re.M))
    blocks = re.findall(r"^([\w.-]+)==(\S+)([^\n]*(?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)+)$", text, re.M)
    assert len(blocks) == len(re.findall(r"^\w", text, re.M)) > 150
    ours = {name: version for name, version, rest in blocks if "emscripten" not in rest and "win32" not in rest}
    normal = {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pins.items()}
    wrong = {
        name: version
        for name, version in ours.items()
        if normal.get(re.sub(r"[-_.]+", "-", name)) not in (version, None)
    }
    assert not wrong
    assert not re.search(r"https?:|file:|--index|--find-links", text)


def test_secrets_are_named_and_not_written() -> None:
    secret = re.compile("KEY|PASSWORD|CONNECTION_URL|STATE$|AUTH_STRING|TOKEN")
    services = [service.get("environment", {}) for service in COMPOSE["services"].values()]
    written = [value for values in services for name, value in values.items() if secret.search(name)]
    assert written and all("${" in value for value in written)
    entries = [entry for one in containers() for entry in one["env"] if secret.search(entry["name"])]
    assert not [name for name in settings() if secret.search(name)]
    assert entries and all("secretKeyRef" in entry["valueFrom"] for entry in entries)
