/** Finds the remedy for a runtime that cannot be used. */
import type { NdiRuntimeFault, NdiRuntimeState } from './port.ts';

/** Debian packages of the libraries that the runtime needs and that not every system has. */
const packages: Readonly<Record<string, string>> = {
  'libavahi-client.so.3': 'libavahi-client3',
  'libavahi-common.so.3': 'libavahi-common3',
};

/** `detail`: as described at `NdiRuntimeFault`. */
export function stateOfFault(path: string, fault: NdiRuntimeFault, detail: string): NdiRuntimeState {
  const unusable = { state: 'unusable', path, fault, detail } as const;
  const needed = fault === 'missingDependency' ? packages[detail] : undefined;
  return needed === undefined
    ? { ...unusable, remedy: 'replaceRuntime' }
    : { ...unusable, remedy: 'installPackage', package: needed };
}
