// Holds the expression cases to the reference, jsonata 2.2.2.
//
//   npm install                 once
//   node evaluate.mjs           checks every case; exits 1 if one differs
//   node evaluate.mjs --write   first gives the cases that expect nothing yet the reference's value
//
// A case whose expectation the reference does not share is listed in differences.json with
// the sentence of the language that is stricter, or that tells what is evident. A listed case
// that does not differ is an error too. Where the sentence begins with "Never ends:" the
// reference is not asked, since it would hang.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const cases = join(here, '..', 'cases');
const differences = JSON.parse(readFileSync(join(here, 'differences.json'), 'utf8'));
const jsonata = library();

function library() {
  const places = [process.env.JSONATA_FOLDER ?? here, here];
  for (const place of places) {
    try {
      const require = createRequire(join(place, 'package.json'));
      const { version } = require('jsonata/package.json');
      if (version !== '2.2.2') throw new Error(`jsonata ${version} is not the reference`);
      return require('jsonata');
    } catch (error) {
      if (place === here) throw error;
    }
  }
}

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else if (entry.name.endsWith('.json')) yield path;
  }
}

/** What the reference makes of a case: {value}, {nothing} or {error}. */
async function evaluated(one) {
  const { root, steps = {}, input = {}, item, index } = one;
  const context = 'root' in one ? root : { steps, input };
  if ('item' in one) Object.assign(context, { item, index: index ?? 0 });
  const variables = 'root' in one ? {} : { ...context };
  try {
    const expression = jsonata(one.expression, { timeout: 5000, stack: 500 });
    const value = await expression.evaluate(structuredClone(context), variables);
    if (value === undefined) return { nothing: true };
    const odd = unfit(value);
    return odd ? { error: odd } : { value: JSON.parse(JSON.stringify(value)) };
  } catch (error) {
    return { error: error.code ?? String(error.message) };
  }
}

/** Why a value cannot be a result, if it cannot. */
function unfit(value) {
  if (typeof value === 'function' || value?._jsonata_lambda) return 'a function';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'not finite';
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return 'not safe';
  if (typeof value === 'string' && !value.isWellFormed()) return 'half a character';
  if (value === null || typeof value !== 'object') return null;
  for (const part of Object.values(value)) {
    const odd = unfit(part);
    if (odd) return odd;
  }
  return null;
}

function equal(one, other) {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && equal(one[key], other[key]));
}

/** Whether the reference shares an expectation; refusals and limits are not its own. */
function shared(expect, seen) {
  if ('value' in expect) return 'value' in seen && equal(expect.value, seen.value);
  if (expect.error === 'no_value') return 'nothing' in seen;
  return 'error' in seen;
}

const write = process.argv.includes('--write');
const unused = new Set(Object.keys(differences));
let passed = 0;
let failed = 0;
for (const path of files(cases)) {
  const text = readFileSync(path, 'utf8');
  let changed = text;
  for (const one of JSON.parse(text).cases) {
    const { id, expect } = one;
    if (!('expression' in one) || 'refused' in expect) continue;
    if (expect.error === 'expression_limit') continue;
    if (differences[id]?.startsWith('Never ends:')) {
      unused.delete(id);
      continue;
    }
    const seen = await evaluated(one);
    if (write && !('value' in expect) && !('error' in expect)) {
      if (!('value' in seen)) throw new Error(`${id}: the reference gives ${JSON.stringify(seen)}`);
      changed = filled(changed, id, seen.value);
      expect.value = seen.value;
    }
    const listed = id in differences;
    unused.delete(id);
    if (shared(expect, seen) !== listed) passed += 1;
    else {
      failed += 1;
      const where = relative(cases, path);
      const wanted = JSON.stringify(expect);
      const note = listed ? 'is listed in differences.json and does not differ' : 'differs';
      console.log(`${where} ${id} ${note}\n  expected ${wanted}\n  reference ${JSON.stringify(seen)}`);
    }
  }
  if (changed !== text) writeFileSync(path, changed);
}
for (const id of unused) console.log(`differences.json lists ${id}, which is no case`);
console.log(`${passed} passed, ${failed + unused.size} failed`);
process.exit(failed + unused.size ? 1 : 0);

/** The text of a file with the value put into the expectation of one case. */
function filled(text, id, value) {
  const start = text.indexOf('"expect": {', text.indexOf(JSON.stringify(id)));
  const at = start + '"expect": {'.length;
  const comma = text[at] === '}' ? '' : ', ';
  return `${text.slice(0, at)}"value": ${JSON.stringify(value)}${comma}${text.slice(at)}`;
}
