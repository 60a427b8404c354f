"""Run-queue delay, steal, pressure and throttling from the kernel's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tco_agent.contention import delay_share, host_shares, read_delay, read_host_counters


def write_counters(root: Path, steal: int, psi_us: int, periods: int, throttled_us: int) -> None:
    """A small /proc and /sys below a temporary root; 1000 ticks in all besides steal."""
    for folder in ("proc/pressure", "sys/fs/cgroup"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "proc/stat").write_text(f"cpu  600 0 100 300 0 0 0 {steal} 50 0\ncpu0 1 2\n")
    (root / "proc/pressure/cpu").write_text(
        f"some avg10=0.00 avg60=0.00 avg300=0.00 total={psi_us}\nfull avg10=0.00 total=0\n"
    )
    (root / "sys/fs/cgroup/cpu.stat").write_text(
        f"usage_usec 5\nnr_periods 9\nnr_throttled {periods}\nthrottled_usec {throttled_us}\n"
    )


def test_shares_are_differences_over_the_time_between(tmp_path: Path) -> None:
    """50 of 50 new ticks stolen is 1; 0.2 s pressure, 0.1 s throttled in 2 s are 10 and 5 %."""
    write_counters(tmp_path, steal=0, psi_us=1_000, periods=3, throttled_us=500)
    before = read_host_counters(0, tmp_path)
    write_counters(tmp_path, steal=50, psi_us=201_000, periods=5, throttled_us=100_500)
    after = read_host_counters(2_000_000_000, tmp_path)
    shares = host_shares(before, after)
    assert shares["steal_share"] == pytest.approx(1.0)
    assert shares["psi_cpu_some"] == pytest.approx(0.1)
    assert shares["nr_throttled"] == 2
    assert shares["throttled_share"] == pytest.approx(0.05)


def test_guest_time_is_not_counted_twice(tmp_path: Path) -> None:
    """The kernel adds guest time to user time already: the total has eight columns."""
    write_counters(tmp_path, steal=0, psi_us=0, periods=0, throttled_us=0)
    assert read_host_counters(0, tmp_path).cpu_total_ticks == 1000


def test_what_the_kernel_does_not_show_is_none(tmp_path: Path) -> None:
    """Missing files are None, never 0."""
    empty = read_host_counters(0, tmp_path)
    assert set(host_shares(empty, empty).values()) == {None}
    assert read_delay(tmp_path) is None


def test_delay_adds_up_over_the_threads(tmp_path: Path) -> None:
    """Two threads that ran 90 and 60 and waited 10 and 40 ns: a quarter of the time was waiting."""
    for thread, text in (("1", "90 10 3"), ("2", "60 40 5")):
        (tmp_path / thread).mkdir()
        (tmp_path / thread / "schedstat").write_text(text + "\n")
    delay = read_delay(tmp_path)
    assert delay is not None
    assert (delay.run_ns, delay.wait_ns) == (150, 50)
    assert delay_share(delay.run_ns, delay.wait_ns) == pytest.approx(0.25)


def test_no_runnable_time_has_no_share() -> None:
    """Nothing ran: there is no share."""
    assert delay_share(0, 0) is None
