"""A rented cluster's month: devices, support, goodput, setup (F13.6, F10.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.errors import InputError


@dataclass(frozen=True, slots=True)
class ClusterQuote:
    """What a provider asks for a cluster, USD a month unless the name says otherwise.

    Parameters
    ----------
    devices_usd, storage_usd, network_usd, cpu_usd
        The bill that support is a share of.
    support_fraction
        Support, of that bill and before goodput (F13.6: the base is stated).
    goodput_usd
        Device time lost to failures and restarts (F10.4), priced at the devices' rate.
    debugging_usd
        People who hunt the failures.
    setup_once_usd
        Paid once; spread over the term.
    """

    devices_usd: float
    storage_usd: float = 0.0
    network_usd: float = 0.0
    cpu_usd: float = 0.0
    support_fraction: float = 0.0
    goodput_usd: float = 0.0
    debugging_usd: float = 0.0
    setup_once_usd: float = 0.0

    @property
    def support_usd(self) -> float:
        """Support a month: its share of devices, storage, network and CPU (F13.6).

        Examples
        --------
        >>> ClusterQuote(900.0, 100.0, support_fraction=0.05, goodput_usd=50.0).support_usd
        50.0
        """
        return self.support_fraction * self._base_usd

    @property
    def _base_usd(self) -> float:
        return math.fsum((self.devices_usd, self.storage_usd, self.network_usd, self.cpu_usd))

    def month_usd(self, term_months: float) -> float:
        """Everything a month, setup spread over the term, undiscounted (F13.6).

        Examples
        --------
        >>> ClusterQuote(900.0, goodput_usd=50.0, setup_once_usd=360.0).month_usd(36)
        960.0
        """
        if not term_months > 0:
            raise InputError("term_months", f"{term_months} is not above 0", "enter months above 0")
        extra = (self.support_usd, self.goodput_usd, self.debugging_usd)
        return math.fsum((self._base_usd, *extra, self.setup_once_usd / term_months))

    def term_usd(self, term_months: float) -> float:
        """Everything over the term, undiscounted.

        Examples
        --------
        >>> ClusterQuote(900.0, setup_once_usd=360.0).term_usd(36)
        32760.0
        """
        return self.month_usd(term_months) * term_months

    def usd_per_device_hour(self, devices: float, hours_per_month: float) -> float:
        """Rate of a device-hour, devices alone [USD/h]; the hours are a convention (F0.2).

        Examples
        --------
        >>> ClusterQuote(1440.0, storage_usd=99.0).usd_per_device_hour(2, 720)
        1.0
        """
        hours = devices * hours_per_month
        if not hours > 0:
            raise InputError("devices", f"{hours} device-hours are not above 0", "enter 1 or more")
        return self.devices_usd / hours
