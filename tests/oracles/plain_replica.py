"""The engine of the simulator in the plainest way: one iteration after the other, no jumps.

Same rules as `tco.simulate.replica`, written from its docstring: serial admission within the token
budget, blocks of KV counted sequence by sequence at every step, the youngest preempted first.
"""

from __future__ import annotations

import math


def plain(
    table,
    requests,
    *,
    chunked=True,
    serial=True,
    concurrency=None,
    think_s=0.0,
    gaps=None,
    host_copy_s_per_token=None,
):
    """Return (ttft, e2e, iterations, preemptions) of each request, seconds since it entered."""
    count = len(requests.arrival_s)
    block = table.block_tokens
    blocks = math.inf if math.isinf(table.kv_tokens) else int(table.kv_tokens // block)
    entered = [float(at) for at in requests.arrival_s]
    cached = list(requests.cached) or [0] * count
    first, end = [None] * count, [None] * count
    made = [0] * count
    waiting, arrived = [], 0
    order = list(requests.priority) or [0] * count
    back, last_token = {}, {}  # place in line of those preempted; time of the last token
    if concurrency is not None:
        entered = [0.0] * min(concurrency, count)
    decoding = {}  # request -> [context, tokens still to make, when it began]
    current, done, now, turn, preempted = None, 0, 0.0, 0, 0

    def used(ahead=0):
        return sum(math.ceil((state[0] + ahead) / block) for state in decoding.values())

    def admits(request):
        need = math.ceil((requests.input_tokens[request] + made[request] + 1) / block)
        whole = sum(
            math.ceil((requests.input_tokens[r] + requests.output_tokens[r]) / block)
            for r in [*decoding, request, *([current] if current is not None else []), *pending]
        )
        beside = sum(math.ceil((requests.input_tokens[r] + made[r] + 1) / block) for r in pending)
        return whole <= blocks or need + beside + used(1) <= blocks

    def evict():
        nonlocal preempted
        victim = max(decoding, key=lambda r: (order[r], decoding[r][2], r))
        made[victim] = decoding.pop(victim)[0] - requests.input_tokens[victim]
        preempted += 1
        back[victim] = -preempted
        waiting.append(victim)
        line()

    def line():
        waiting.sort(key=lambda r: (order[r], back.get(r, 1 + r)))

    def leave(request):
        end[request] = now
        if concurrency is not None and len(entered) < count:
            entered.append(now + think_s)

    def start_of(request):
        """Tokens there already, and the seconds to bring them."""
        if made[request] and host_copy_s_per_token is None:
            return 0, 0.0
        if made[request]:
            kept = requests.input_tokens[request] + made[request] - 1
            return kept, kept * host_copy_s_per_token + kept * host_copy_s_per_token
        fetch_s = requests.fetch_s[request] if len(requests.fetch_s) else 0.0
        return min(cached[request], requests.input_tokens[request] - 1), fetch_s

    pending, copied_s = [], 0.0
    while True:
        known = len(entered)
        while arrived < known and entered[arrived] <= now:
            waiting.append(arrived)
            arrived += 1
        line()
        n = len(decoding)
        if current is None and waiting and n < table.max_sequences and admits(waiting[0]):
            current = waiting.pop(0)
            done, copied_s = start_of(current)
        if current is None and not n:
            if arrived >= known:
                break
            now = max(now, entered[arrived])
            continue
        held = 0
        if current is not None:
            held = math.ceil((requests.input_tokens[current] + made[current] + 1) / block)
        if used(1) + held > blocks and decoding:
            if current is None:
                evict()
                continue
            while decoding and used(1) + held > blocks:
                evict()
            n = len(decoding)
        fill, attended, finished, copying_s = 0, 0.0, [], copied_s
        copied_s = 0.0
        if current is not None:
            total = requests.input_tokens[current] + made[current]
            room = max(1, table.max_batched_tokens - n) if chunked else total
            chunk = min(total - done, room)
            fill, attended = chunk, chunk * (done + chunk / 2)
            done += chunk
            if done >= total:
                finished.append(current)
                current = None
                pending = finished
                while chunked and not serial and waiting and fill + n < table.max_batched_tokens:
                    request = waiting[0]
                    if n + len(finished) >= table.max_sequences or not admits(request):
                        break
                    waiting.pop(0)
                    start, more_s = start_of(request)
                    copying_s += more_s
                    total = requests.input_tokens[request] + made[request]
                    chunk = min(total - start, table.max_batched_tokens - n - fill)
                    fill += chunk
                    attended += chunk * (start + chunk / 2)
                    if start + chunk < total:
                        current, done = request, start + chunk
                        break
                    finished.append(request)
                pending = []
        context = sum(state[0] for state in decoding.values())
        now += float(table.seconds(fill, attended, n, context)) + copying_s
        prompts = [*finished, *([current] if current is not None else [])]
        beside = sum(math.ceil((requests.input_tokens[r] + made[r] + 1) / block) for r in prompts)
        assert used(1) + beside <= blocks, "the KV room is exceeded"
        for request in [*decoding, *finished]:
            if gaps is not None and request in last_token:
                gaps.append(now - last_token[request])
            last_token[request] = now
        turn += 1
        for request in list(decoding):
            state = decoding[request]
            state[0] += 1
            state[1] -= 1
        for request in finished:
            if not made[request]:
                first[request] = now
            left = requests.output_tokens[request] - made[request] - 1
            if left <= 0:
                leave(request)
            else:
                prompt = requests.input_tokens[request] + made[request] + 1
                decoding[request] = [prompt, left, turn]
        for request in [r for r, state in decoding.items() if state[1] <= 0]:
            decoding.pop(request)
            leave(request)
    ttft = [a - b + table.request_s for a, b in zip(first, entered, strict=True)]
    e2e = [a - b + table.request_s for a, b in zip(end, entered, strict=True)]
    return ttft, e2e, turn, preempted
