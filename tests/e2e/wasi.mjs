// Runs a program that was compiled to WebAssembly for WASI: `node wasi.mjs program.wasm arguments…`.
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const [, , program, ...rest] = process.argv;
const wasi = new WASI({ version: 'preview1', args: [program, ...rest], env: process.env });
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
