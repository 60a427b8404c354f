"""Countries: of cloud regions by their names, and of groups that residency rules name."""

from __future__ import annotations

from collections.abc import Iterable

EU_COUNTRIES = frozenset(
    (
        *("AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU"),
        *("IE", "IT", "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK"),
    )
)

# Names of regions as the three large providers print them; the longer prefix first.
_REGION_COUNTRIES = (
    *(("us-gov", "US"), ("us-", "US"), ("ca-", "CA"), ("mx-", "MX"), ("sa-east-1", "BR")),
    *(("eu-central-1", "DE"), ("eu-central-2", "CH"), ("eu-west-1", "IE"), ("eu-west-2", "GB")),
    *(("eu-north1", "FI"), ("eu-west1", "FR")),  # Nebius
    *(("eu-west-3", "FR"), ("eu-north-1", "SE"), ("eu-south-1", "IT"), ("eu-south-2", "ES")),
    *(("ap-northeast-1", "JP"), ("ap-northeast-3", "JP"), ("ap-northeast-2", "KR")),
    *(("ap-southeast-1", "SG"), ("ap-southeast-2", "AU"), ("ap-south-", "IN")),
    *(("europe-west1", "BE"), ("europe-west2", "GB"), ("europe-west3", "DE")),
    *(("europe-west4", "NL"), ("europe-west6", "CH"), ("europe-west9", "FR")),
    *(("europe-north1", "FI"), ("asia-northeast1", "JP"), ("asia-southeast1", "SG")),
    *(("eastus", "US"), ("westus", "US"), ("centralus", "US"), ("northcentralus", "US")),
    *(("southcentralus", "US"), ("westcentralus", "US"), ("canada", "CA"), ("uksouth", "GB")),
    *(("ukwest", "GB"), ("germany", "DE"), ("france", "FR"), ("sweden", "SE")),
    *(("switzerland", "CH"), ("westeurope", "NL"), ("northeurope", "IE"), ("japan", "JP")),
    *(("australia", "AU"), ("korea", "KR"), ("southeastasia", "SG"), ("norway", "NO")),
)


def allowed_countries(residency: Iterable[str]) -> frozenset[str]:
    """Country codes that a residency list allows; ``EU`` stands for its members.

    Examples
    --------
    >>> sorted(allowed_countries(["us", "CH"])), "DE" in allowed_countries(["EU"])
    (['CH', 'US'], True)
    """
    codes = {code.upper() for code in residency}
    return frozenset(codes - {"EU"} | (EU_COUNTRIES if "EU" in codes else frozenset()))


def offer_country(region: str) -> str | None:
    """Country of a cloud region by its name; None where the name does not tell.

    Examples
    --------
    >>> offer_country("us-east-1"), offer_country("eu-central-1"), offer_country("all listed")
    ('US', 'DE', None)
    """
    name = region.lower()
    if len(name) == 2 and name.isalpha():
        return name.upper()
    for prefix, country in _REGION_COUNTRIES:
        if name.startswith(prefix):
            return country
    return None
