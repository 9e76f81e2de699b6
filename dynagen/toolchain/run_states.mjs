// Runs the functions of a module on many states for dynagen: node run_states.mjs MODULE DESCRIPTION
//
// DESCRIPTION is JSON: {"array": "Float64Array", "functions": [{"symbol", "inputs": [shapes], "outputs": [shapes], "can_fail"}]}.
// One byte on standard output reports that the module is loaded. A request on standard input consists of the index of a
// function and the number of states, 32 bits each, and the inputs. The response on standard output consists of the outputs,
// and of 32 bits of status for each state if the function can fail. Every array contains its states one after another.
// The process ends at the end of standard input.
import { readSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , module, description] = process.argv;
const { array, functions } = JSON.parse(description);
const Numbers = { Float32Array, Float64Array }[array];

/** Return the number of elements of an argument. */
function size_of(shape) {
  return shape.reduce((size, extent) => size * extent, 1);
}

/** Return the next bytes of standard input; null at its end. */
function receive(size) {
  const bytes = new Uint8Array(size);
  for (let filled = 0; filled < size; ) {
    const count = readSync(0, bytes, filled, size - filled);
    if (count === 0) {
      return null;
    }
    filled += count;
  }
  return bytes.buffer;
}

/** Write an array to standard output. */
function send(numbers) {
  const bytes = new Uint8Array(numbers.buffer);
  for (let sent = 0; sent < bytes.length; ) {
    sent += writeSync(1, bytes, sent);
  }
}

const kernels = await import(pathToFileURL(module).href);
send(Uint8Array.of(1));

for (let request = receive(8); request !== null; request = receive(8)) {
  const [index, count] = new Uint32Array(request);
  const { symbol, inputs, outputs, can_fail } = functions[index];
  const read = inputs.map((shape) => new Numbers(receive(size_of(shape) * count * Numbers.BYTES_PER_ELEMENT)));
  const written = outputs.map((shape) => new Numbers(size_of(shape) * count));
  const arrays = [...read, ...written];
  const sizes = [...inputs, ...outputs].map(size_of);
  const are_numbers = [...inputs.map((shape) => shape.length === 0), ...outputs.map(() => false)];
  const statuses = new Int32Array(can_fail ? count : 0);
  for (let state = 0; state < count; state++) {
    const status = kernels[symbol](
      ...arrays.map((numbers, k) =>
        are_numbers[k] ? numbers[state] : numbers.subarray(state * sizes[k], (state + 1) * sizes[k]),
      ),
    );
    if (can_fail) {
      statuses[state] = status;
    }
  }
  [...written, statuses].forEach(send);
}
