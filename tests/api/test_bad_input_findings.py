"""What can be read and cannot work: stored, projected, and said in a finding with its mend."""

from __future__ import annotations

from tests.api.refusals import changed, send
from tests.api.world import chat_document

SCENARIOS = "/api/v1/scenarios/"
CATALOG = "/api/v1/catalog/"


def findings_of(client, document):
    """Findings of a stored scenario's projection, by code."""
    made = send(client, SCENARIOS, {"document": document})
    assert made.status_code == 201, made.content[:500]
    run = client.post(f"{SCENARIOS}{made.json()['id']}/projection/")
    assert run.status_code == 201
    found = {}
    for finding in run.json()["result"]["findings"]:
        found.setdefault(finding["code"], []).append(finding)
    return found


def test_a_device_past_its_end_of_support_is_a_finding(world):
    """An own H100 whose support has ended: an error at the fleet, with the date and a mend."""
    client = world.client("architect")
    change = {"end_of_support": "2026-06-30", "message": "as the vendor says"}
    url = f"{CATALOG}{world.shared.pk}/"
    assert send(client, url, change, "PATCH").status_code == 200
    found = findings_of(client, chat_document())["past_end_of_support"]
    assert "options[0].fleets[0]" in {finding["field"].rpartition(".")[0] for finding in found}
    for finding in found:
        assert finding["severity"] == "error"
        assert "2026-06-30" in finding["message"]
        assert finding["mend"]
    # the other organisation's H100 is still supported
    assert "past_end_of_support" not in findings_of(world.client("other"), chat_document())


def test_a_device_without_the_attestation_that_is_needed_is_a_finding(world):
    """Gaudi 3 has none, H100 has: one finding each for fleets without, none for the H100."""
    document = changed(("workloads", 0, "requires"), ["attestation"])
    every = [
        item
        for items in findings_of(world.client("architect"), document).values()
        for item in items
    ]
    said = [item for item in every if "attestation" in item["message"]]
    fields = {item["field"].partition(".")[0] for item in said}
    options = {f"options[{number}]": item["key"] for number, item in enumerate(document["options"])}
    assert "gaudi3" in {options[field] for field in fields}
    assert "h100" not in {options[field] for field in fields}
    assert all(item["severity"] == "error" and item["mend"] for item in said)


def test_a_model_that_does_not_fit_is_a_finding_with_the_missing_gb(world):
    """70.6e9 weights of 4 bytes are 282 GB: on one H100 of 80 GB over 200 GB are missing."""
    document = changed(("workloads", 0, "weight_dtype"), "fp32")
    document["options"][0]["fleets"][0]["tensor_parallel"] = 1
    document["options"] = document["options"][:1]
    (finding,) = findings_of(world.client("architect"), document)["model_does_not_fit"]
    assert finding["severity"] == "error"
    words = finding["message"].replace(",", "").split()
    numbers = [
        float(word.strip("();:")) for word in words if word.strip("();:").replace(".", "").isdigit()
    ]
    assert any(200 < number < 230 for number in numbers), finding["message"]
    assert "missing" in finding["message"]
    assert finding["mend"]
