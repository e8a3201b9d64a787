/**
 * SHA-256 at once: Web Crypto's comes as a promise, and a key is needed while a call starts.
 *
 * The algorithm is that of FIPS 180-4, in whole 32-bit words.
 */

const ROUNDS = 64;
const BLOCK = 64;
const LENGTH_BYTES = 8;

/** The SHA-256 of some bytes, in lower-case hex. */
export function sha256(bytes: Uint8Array): string {
  const state = Uint32Array.from(INITIAL);
  const schedule = new Uint32Array(ROUNDS);
  const padded = pad(bytes);
  const view = new DataView(padded.buffer);
  for (let at = 0; at < padded.length; at += BLOCK) {
    for (let word = 0; word < 16; word += 1) schedule[word] = view.getUint32(at + word * 4);
    for (let word = 16; word < ROUNDS; word += 1) {
      const near = schedule[word - 2] ?? 0;
      const far = schedule[word - 15] ?? 0;
      const fresh = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
      const stale = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
      schedule[word] = fresh + (schedule[word - 7] ?? 0) + stale + (schedule[word - 16] ?? 0);
    }
    compress(state, schedule);
  }
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}

function pad(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const size = Math.ceil((bytes.length + 1 + LENGTH_BYTES) / BLOCK) * BLOCK;
  const padded = new Uint8Array(size);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(size - LENGTH_BYTES, BigInt(bytes.length) * 8n);
  return padded;
}

function compress(state: Uint32Array, schedule: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let round = 0; round < ROUNDS; round += 1) {
    const mixed = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const added = (CONSTANTS[round] ?? 0) + (schedule[round] ?? 0);
    const first = (h + mixed + chosen + added) | 0;
    const summed = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const most = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e] = [g, f, e, (d + first) | 0];
    [d, c, b, a] = [c, b, a, (first + summed + most) | 0];
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) {
    state[at] = (state[at] ?? 0) + word;
  }
}

function turned(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** The first 32 bits of the fractional part of a root of each of the first primes. */
function rootsOfPrimes(count: number, power: number): Uint32Array {
  const roots = new Uint32Array(count);
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1) {
    if (primes.some((prime) => candidate % prime === 0)) continue;
    roots[primes.length] = Math.floor((candidate ** power % 1) * 2 ** 32);
    primes.push(candidate);
  }
  return roots;
}

const INITIAL = rootsOfPrimes(8, 1 / 2);
const CONSTANTS = rootsOfPrimes(ROUNDS, 1 / 3);
