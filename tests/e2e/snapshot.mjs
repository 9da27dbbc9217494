// Memory snapshots of a training run that never was, as JSON and as a pickle, of any number of events.

const LAYERS = 8;
const MIB = 1 << 20;
const PYTORCH = '/usr/lib/python3/site-packages/torch';
const MINE = '/srv/alice/project';
const frame = (name, filename, line) => ({ name, filename, line });
const main = frame('main', `${MINE}/train.py`, 30);
const STACKS = {
  forward: Array.from({ length: LAYERS }, (_, layer) => [frame('c10::malloc(void**)', '??', 0), frame('linear', `${PYTORCH}/nn/functional.py`, 9), frame('forward', `${MINE}/model.py`, 10 + layer), main]),
  temporary: [frame('softmax', `${PYTORCH}/nn/functional.py`, 12), frame('forward', `${MINE}/model.py`, 99), main],
  backward: [frame('torch::autograd::Engine::evaluate_function(Node*)', '??', 0)],
  zero: [frame('zero_grad', `${PYTORCH}/optim/optimizer.py`, 5), main],
  step: [frame('_init_group', `${PYTORCH}/optim/adamw.py`, 7), frame('step', `${PYTORCH}/optim/adamw.py`, 70), main],
  keep: [frame('<img src=x onerror="window.hit=1">', `${MINE}/train.py`, 41), main],
};

/** Plays the run until there are so many events, and hands each to `sink`; what is left at the end comes back as segments. */
export function play(most, sink) {
  const live = new Map();
  const free = new Map();
  let [next, time, events] = [0x7f0000000000, 1_700_000_000_000_000, 0];
  const event = (action, addr, size, frames) => {
    time += 3;
    events += 1;
    sink({ action, addr, size, stream: 0, time_us: time, frames });
  };
  const alloc = (size, frames) => {
    const addr = free.get(size)?.pop() ?? (next += 4 * MIB);
    live.set(addr, size);
    event('alloc', addr, size, frames);
    return addr;
  };
  const release = (addr, frames) => {
    const size = live.get(addr);
    live.delete(addr);
    event('free_requested', addr, size, frames);
    event('free_completed', addr, size, frames);
    free.set(size, [...(free.get(size) ?? []), addr].slice(-64));
  };
  for (let layer = 0; layer < LAYERS; layer += 1) live.set(0x7e0000000000 + layer * 4 * MIB, 2 * MIB);
  let gradients = [];
  let states = 0;
  for (let step = 0; events < most; step += 1) {
    for (const gradient of gradients) release(gradient, STACKS.zero);
    gradients = [];
    const saved = STACKS.forward.map((stack) => {
      const tensors = [1, 2, 3].map((part) => alloc(part * 512 * 1024, stack));
      release(alloc(256 * 1024, STACKS.temporary), STACKS.temporary);
      return tensors;
    });
    alloc(4096, STACKS.keep);
    for (const tensors of saved.reverse()) {
      gradients.push(alloc(2 * MIB, STACKS.backward));
      for (const tensor of tensors) release(tensor, STACKS.backward);
    }
    // The second step makes no states, and takes a buffer for a while.
    if (!states) for (; states < 2 * LAYERS; states += 1) alloc(2 * MIB, STACKS.step);
    else release(alloc(1024, STACKS.step), STACKS.step);
  }
  const block = (address, size, requested_size, state) => ({ address, size, requested_size, state, frames: [] });
  const segment = (address, blocks) => ({ device: 0, address, total_size: 4 * MIB, stream: 0, segment_type: 'large', is_expandable: false, frames: [], blocks });
  const used = [...live].map(([address, size]) => {
    const whole = Math.ceil(size / 512) * 512;
    return segment(address, [block(address, whole, size, 'active_allocated'), block(address + whole, 4 * MIB - whole, 0, 'inactive')]);
  });
  const empty = [...free.values()].flat().map((address) => segment(address, [block(address, 4 * MIB, 0, 'inactive')]));
  const pending = segment(0x6000_0000_0000, [block(0x6000_0000_0000, 2 * MIB, 2 * MIB, 'active_pending_free'), block(0x6000_0000_0000 + 2 * MIB, 2 * MIB, 0, 'inactive')]);
  return [...used, ...empty, pending];
}

/** As JSON. */
export function snapshot(most) {
  const events = [];
  const segments = play(most, (event) => events.push(event));
  return { segments, device_traces: [events] };
}

/** As a pickle, by pieces that `write` takes: a million events make some 70 MB. */
export function pickle(most, write) {
  const memo = new Map();
  const room = Buffer.alloc(1 << 20);
  let used = 0;
  const flush = () => {
    write(Buffer.from(room.subarray(0, used)));
    used = 0;
  };
  const put = (bytes) => {
    if (used + bytes.length > room.length) flush();
    for (const byte of bytes) room[used++] = byte;
  };
  const number = (code, value) => {
    if (used + 5 > room.length) flush();
    room[used] = code.charCodeAt(0);
    used = room.writeUInt32LE(value, used + 1);
  };
  const shared = (value, make) => {
    if (memo.has(value)) return number('j', memo.get(value));
    make();
    memo.set(value, memo.size);
    number('r', memo.get(value));
  };
  const node = (value) => {
    if (typeof value === 'string') {
      return shared(value, () => {
        const text = Buffer.from(value);
        number('X', text.length);
        put(text);
      });
    }
    if (typeof value === 'boolean') return put(Buffer.from([value ? 0x88 : 0x89]));
    if (typeof value === 'number') {
      if (value < 2 ** 31) return number('J', value);
      put([0x8a, 8]);
      for (let byte = 0; byte < 8; byte += 1) put([Math.floor(value / 256 ** byte) % 256]);
      return;
    }
    const contents = () => {
      put(Buffer.from(Array.isArray(value) ? '](' : '}('));
      if (Array.isArray(value)) value.forEach(node);
      else for (const name in value) [name, value[name]].forEach(node);
      put(Buffer.from(Array.isArray(value) ? 'e' : 'u'));
    };
    // Stacks and frames are shared, as in real files.
    return value.filename || value[0]?.filename ? shared(value, contents) : contents();
  };
  put(Buffer.from([0x80, 2]));
  put(Buffer.from('}('));
  node('device_traces');
  put(Buffer.from(']](')); // The list of devices, and the first of them.
  const segments = play(most, node);
  put(Buffer.from('ea'));
  node('segments');
  node(segments);
  put(Buffer.from('u.'));
  flush();
}
