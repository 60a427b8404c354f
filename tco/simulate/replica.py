"""One serving replica, iteration by iteration (P6.1, P6.2).

Each iteration carries one token of every decoding sequence and, within the token budget, the next
chunk of the first waiting prompt (chunked prefill). A prompt is admitted when a
sequence slot and KV blocks for it are free; when blocks run out while decoding, the youngest
sequence (of the last class, where there are classes) gives its blocks back and is computed again
(preemption by recompute). All decoding
sequences advance together, so a sequence ends at a known count of iterations: a heap of those
counts is all the state that decoding needs, and iterations between two events are summed at once,
which is exact because contexts grow by one token an iteration.
"""

from __future__ import annotations

import heapq
import math
from collections import deque

from tco.simulate.requests import Gaps, Line, Requests, Served
from tco.simulate.servable import check_servable
from tco.simulate.step_table import StepTable

__all__ = ["Requests", "Served", "simulate"]


def simulate(
    table: StepTable,
    requests: Requests,
    *,
    chunked: bool = True,
    serial: bool = True,
    concurrency: int | None = None,
    think_s: float = 0.0,
    prefilled: bool = False,
    gaps: bool = False,
    host_copy_s_per_token: float | None = None,
) -> Served:
    """Serve `requests` on one replica.

    Parameters
    ----------
    chunked
        False: a prompt is processed whole, in an iteration that may exceed no budget but its own.
    serial
        One prompt an iteration, as engines effectively do (public models found 1.0 to 1.1 prompts
        at a time, P18); False: prompts share what is left of the token budget.
    concurrency
        Closed loop: at most so many requests in the system; the next enters when one leaves, and
        the arrival times only give the order. None: open loop.
    think_s
        Closed loop: seconds from an answer to the next request of the same user.
    prefilled
        The KV of each prompt and its first token come from elsewhere (P6.5): a request decodes from
        its admission on, which counts as its first token.
    gaps
        Record the waits between tokens.
    host_copy_s_per_token
        Preempted KV is kept on the host: seconds to copy a token's KV one way. Both ways are
        charged to the iteration in which the request returns. None: computed again.

    Raises
    ------
    InputError
        When a request can never be served: a prompt beyond the token budget without chunks, or a
        context beyond the KV room.
    """
    check_servable(
        table, requests, chunked, concurrency, think_s, host_copy_s_per_token=host_copy_s_per_token
    )
    replica = _Replica(table, requests, chunked, chunked and not serial, prefilled)
    replica.host_copy_s = host_copy_s_per_token
    return replica.run(concurrency, think_s, Gaps.empty() if gaps else None)


class _Replica:
    """State of the run; times in seconds, plain lists: the inner loop is the cost."""

    def __init__(
        self,
        table: StepTable,
        requests: Requests,
        chunked: bool,
        shared: bool,
        prefilled: bool,
    ) -> None:
        self.table, self.chunked, self.shared = table, chunked, shared
        self.prefilled, self.priority = prefilled, requests.priority
        self.arrival = [float(at) for at in requests.arrival_s]
        self.prompt = [int(n) for n in requests.input_tokens]
        self.answer = [int(n) for n in requests.output_tokens]
        cached = list(requests.cached) or [0] * len(self.prompt)
        self.cached = [min(int(c), n - 1) for c, n in zip(cached, self.prompt, strict=True)]
        self.block = block = table.block_tokens
        finite = math.isfinite(table.kv_tokens)
        self.blocks = int(table.kv_tokens // block) if finite else 10**15
        # blocks of each request at its end: while these fit together, none can run out
        pairs = zip(self.prompt, self.answer, strict=True)
        self.whole = [-(-(a + b) // block) for a, b in pairs]
        self.ending: list[tuple[int, int]] = []  # turn at which a decoding sequence ends
        self.began: dict[int, tuple[int, int]] = {}  # context and turn at the start of decoding
        self.made = [0] * len(self.prompt)  # tokens of the answer before the last preemption
        self.reserved = 0  # blocks at their ends of all requests admitted
        self.turn = 0
        self.context = 0  # tokens of all decoding sequences
        self.preemptions = 0
        self.fetch_s = requests.fetch_s
        self.host_copy_s: float | None = None
        self.copying_s = 0.0  # copies from the host that the next iteration waits for

    def run(self, concurrency: int | None, think_s: float, gaps: Gaps | None) -> Served:
        table, chunked, shared, prefilled = self.table, self.chunked, self.shared, self.prefilled
        rows_s = table.rows_s.tolist()
        kv_s, window_kv_s, window = table.kv_s, table.window_kv_s, table.window_tokens
        prompt_s, window_prompt_s = table.prompt_s, table.window_prompt_s
        sequence_s, prompt_fixed = table.sequence_s, table.prompt_fixed_s
        budget, slots = table.max_batched_tokens, table.max_sequences
        arrival, made, whole = self.arrival, self.made, self.whole
        last_row, count = len(rows_s) - 1, len(self.prompt)
        # a whole prompt beside a batch may pass the end of the table: goes on as it ends
        beyond_s = rows_s[-1] - rows_s[-2] if last_row > 1 else 0.0
        first, end = [0.0] * count, [0.0] * count
        classes = len(set(self.priority)) > 1
        waiting: deque[int] | Line = Line(self.priority) if classes else deque()
        ending, began = self.ending, self.began
        arrived, known = 0, count  # requests that have come; whose time of arrival is known
        closed = concurrency is not None
        if concurrency is not None:
            arrival[:], known = [0.0] * count, min(concurrency, count)
        evicted_s: dict[int, float] = {}
        now = busy = decoding_s = kv_token_s = 0.0
        most = 0
        current, done = -1, 0  # prompt under way and its tokens processed
        while True:
            while arrived < known and arrival[arrived] <= now:
                waiting.append(arrived)
                arrived += 1
            n = len(ending)
            if prefilled and waiting:
                for request in self._join(waiting, slots):
                    first[request] = now
                    if self.answer[request] == 1:
                        end[request] = now
                        if closed and known < count:
                            arrival[known], known = now + think_s, known + 1
                n = len(ending)
                most = max(most, self.context)
            if current < 0 and waiting and n < slots and self._admits(waiting[0]):
                current = waiting.popleft()
                self.reserved += whole[current]
                done = self._start(current)
            if current < 0 and not n:
                if arrived >= known:
                    break
                now = max(now, arrival[arrived])
                continue
            low = self.context if self.context < n * window else n * window
            if current < 0:
                # nothing but decoding until something happens: jump
                turns = ending[0][0] - self.turn
                if self.reserved > self.blocks:
                    spare = self._turns_until_full(turns)
                    if spare <= 0:
                        evicted_s[self._evict_youngest(waiting)] = now
                        continue
                    turns = min(turns, spare)
                windowed = self.context < n * window
                step = rows_s[n] if n <= last_row else rows_s[-1] + (n - last_row) * beyond_s
                step += sequence_s * n
                step += kv_s * self.context + window_kv_s * low
                slope = kv_s * n + (window_kv_s * n if windowed else 0.0)
                if windowed:  # the slope ends where the windows are full
                    turns = min(turns, max(1, int((n * window - self.context) // n)))
                if arrived < known and (classes or not waiting):
                    # the iteration during which the next request arrives is the last one
                    gap, half = arrival[arrived] - now, slope / 2
                    b = step - half
                    fit = (math.sqrt(b * b + 4 * half * gap) - b) / slope if slope else gap / step
                    turns = min(turns, max(1, math.ceil(fit - 1e-9)))
                took = turns * step + slope * turns * (turns - 1) / 2
                kv_token_s += (self.context + n * (turns - 1) / 2) * took
                if gaps is not None:
                    gaps.add(now, step, slope, turns, n)
                self.turn += turns
                self.context += n * turns
            else:
                if self.reserved > self.blocks:
                    while ending and self._turns_until_full(1, current) < 1:
                        evicted_s[self._evict_youngest(waiting)] = now
                    n = len(ending)
                    low = self.context if self.context < n * window else n * window
                total = self.prompt[current] + made[current]
                chunk = min(total - done, max(1, budget - n)) if chunked else total - done
                fill, attended = chunk, chunk * (done + chunk / 2)
                done += chunk
                finished = []
                if done >= total:
                    finished.append(current)
                    current = -1
                    beside = self._blocks_of(finished[0])
                    # what is left of the budget goes to the next prompts in line
                    while shared and waiting and fill + n < budget:
                        request = waiting[0]
                        if n + len(finished) >= slots or not self._admits(request, beside):
                            break
                        waiting.popleft()
                        self.reserved += whole[request]
                        beside += self._blocks_of(request)
                        start = self._start(request)
                        total = self.prompt[request] + made[request]
                        chunk = min(total - start, budget - n - fill)
                        fill += chunk
                        attended += chunk * (start + chunk / 2)
                        if start + chunk < total:
                            current, done = request, start + chunk
                            break
                        finished.append(request)
                rows, mean = fill + n, attended / fill
                took = (
                    (
                        rows_s[rows]
                        if rows <= last_row
                        else rows_s[-1] + (rows - last_row) * beyond_s
                    )
                    + sequence_s * n
                    + kv_s * self.context
                    + window_kv_s * low
                    + prompt_s * attended
                    + window_prompt_s * fill * (mean if mean < window else window)
                    + prompt_fixed
                )
                if self.copying_s:
                    took += self.copying_s
                    self.copying_s = 0.0
                kv_token_s += self.context * took
                if gaps is not None:
                    if n:
                        gaps.add(now, took, 0.0, 1, n)
                    for request in finished:
                        if made[request]:
                            gaps.add(now, now + took - evicted_s[request], 0.0, 1, 1)
                self.turn += 1
                self.context += n
                for request in finished:
                    if not made[request]:
                        first[request] = now + took
                    left = self.answer[request] - made[request] - 1
                    if left <= 0:
                        end[request] = now + took
                        self.reserved -= whole[request]
                        if closed and known < count:
                            arrival[known], known = now + took + think_s, known + 1
                    else:
                        held = self.prompt[request] + made[request] + 1
                        heapq.heappush(ending, (self.turn + left, request))
                        began[request] = (held, self.turn)
                        self.context += held
            busy += took
            decoding_s += n * took
            now += took
            if self.context > most:
                most = self.context
            while ending and ending[0][0] <= self.turn:
                _, request = heapq.heappop(ending)
                held, since = began.pop(request)
                self.context -= held + self.turn - since
                self.reserved -= whole[request]
                end[request] = now
                if closed and known < count:
                    arrival[known], known = now + think_s, known + 1
        request_s = table.request_s
        return Served(
            arrival_s=arrival,
            ttft_s=[f - a + request_s for f, a in zip(first, arrival, strict=True)],
            e2e_s=[e - a + request_s for e, a in zip(end, arrival, strict=True)],
            output_tokens=self.answer,
            iterations=self.turn,
            busy_s=busy,
            end_s=now,
            decoding_s=decoding_s,
            kv_token_s=kv_token_s,
            preemptions=self.preemptions,
            most_kv_tokens=most,
            gaps=gaps,
        )

    def _join(self, waiting: deque[int] | Line, slots: int) -> list[int]:
        """Let requests whose KV came from elsewhere decode, as slots and blocks allow.

        One that was preempted is not among them: its KV is gone and is computed again here.
        """
        joined = []
        while waiting and len(self.ending) < slots and not self.made[waiting[0]]:
            if not self._admits(waiting[0]):
                break
            request = waiting.popleft()
            joined.append(request)
            left = self.answer[request] - 1
            if left:
                held = self.prompt[request] + 1
                self.reserved += self.whole[request]
                heapq.heappush(self.ending, (self.turn + left, request))
                self.began[request] = (held, self.turn)
                self.context += held
        return joined

    def _start(self, request: int) -> int:
        """Tokens of a prompt admitted that need not be computed; books what must be copied."""
        made = self.made[request]
        if not made:
            self.copying_s += self.fetch_s[request] if self.fetch_s else 0.0
            return self.cached[request]
        if self.host_copy_s is None:
            return 0
        kept = self.prompt[request] + made - 1  # the last token has no KV yet
        self.copying_s += 2 * self.host_copy_s * kept
        return kept

    def _used(self, ahead: int = 0) -> int:
        """Blocks that the decoding sequences hold `ahead` iterations from now."""
        block, turn, began = self.block, self.turn + ahead, self.began
        return sum(
            -(-(held + turn - since) // block)
            for held, since in (began[request] for _, request in self.ending)
        )

    def _blocks_of(self, request: int) -> int:
        """Blocks of a prompt, what was answered before a preemption, and the next token."""
        return -(-(self.prompt[request] + self.made[request] + 1) // self.block)

    def _admits(self, request: int, beside: int = 0) -> bool:
        """Whether there are blocks for the prompt and its first token.

        `beside` are the blocks of prompts that end in the same iteration.
        """
        if self.reserved + self.whole[request] <= self.blocks:
            return True
        return self._blocks_of(request) + beside + self._used(1) <= self.blocks

    def _turns_until_full(self, most: int, current: int = -1) -> int:
        """Iterations, at most `most`, for which the blocks last beside the prompt under way."""
        held = self._blocks_of(current) if current >= 0 else 0
        if self._used(most) + held <= self.blocks:
            return most
        # every sequence takes one block in `block` iterations: the edge lies in that window
        free = self.blocks - held - self._used()
        low = max(0, free // max(1, len(self.ending)) * self.block - self.block)
        high = min(most - 1, low + 3 * self.block)
        while low < high:
            middle = (low + high + 1) // 2
            if self._used(middle) + held <= self.blocks:
                low = middle
            else:
                high = middle - 1
        return low

    def _evict_youngest(self, waiting: deque[int] | Line) -> int:
        """Put the youngest sequence of the last class back in line, its tokens part of its prompt.

        Returns the request.
        """
        began, priority = self.began, self.priority
        victim = max(
            (request for _, request in self.ending),
            key=lambda r: (priority[r] if priority else 0, began[r][1], r),
        )
        held, since = began.pop(victim)
        grown = held + self.turn - since
        self.ending[:] = [entry for entry in self.ending if entry[1] != victim]
        heapq.heapify(self.ending)
        self.made[victim] = grown - self.prompt[victim]
        self.context -= grown
        self.reserved -= self.whole[victim]
        self.preemptions += 1
        waiting.appendleft(victim)
        return victim
