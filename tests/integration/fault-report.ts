/** What the fault tests measured, as one table at the end: which fault, what the console said, how long until good. */
export interface FaultReport {
  add(fault: string, said: string, goodAfterMs: number): void;
  print(): void;
}

export function createFaultReport(): FaultReport {
  const rows: string[] = [];
  return {
    add: (fault, said, ms) => void rows.push(`  ${fault.padEnd(52)}${said.padEnd(46)}${(ms / 1000).toFixed(1)} s`),
    print: () => console.log([`  ${'fault'.padEnd(52)}${'the console'.padEnd(46)}good after`, ...rows].join('\n')),
  };
}
