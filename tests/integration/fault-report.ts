/** The measurements of the fault tests as one table at the end: the fault, the console's state, the recovery time. */
export interface FaultReport {
  add(fault: string, observed: string, goodAfterMs: number): void;
  print(): void;
}

export function createFaultReport(): FaultReport {
  const rows: string[] = [];
  return {
    add: (fault, observed, ms) =>
      void rows.push(`  ${fault.padEnd(52)}${observed.padEnd(46)}${(ms / 1000).toFixed(1)} s`),
    print: () => console.log([`  ${'fault'.padEnd(52)}${'the console'.padEnd(46)}good after`, ...rows].join('\n')),
  };
}
