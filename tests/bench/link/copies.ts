/** A port of the device that gives and takes any number of bytes. Prints it. */
import { serveCopies } from '../../support/copy-port.ts';

const { port } = await serveCopies();
console.log(JSON.stringify({ port }));
