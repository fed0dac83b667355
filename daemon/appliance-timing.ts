/** Timeouts and delays of parts that only an appliance has, in milliseconds; part of `shippedTiming`. */

export const applianceTiming = {
  network: {
    /** A DHCP server assigns an address within this time. */
    dhcpMs: 20_000,
    /** A port has its addresses within this time. */
    activateMs: 40_000,
    /** How long a port probes whether another host has its address. */
    duplicateMs: 200,
    /** Delay after a signal of NetworkManager, before the routes of addresses from DHCP servers are checked. */
    leaseMs: 200,
  },
  firewall: {
    /** Interval between looks whether the packet filter is still as configured; the second while a user watches it. */
    checkMs: 30_000,
    watchedMs: 2000,
  },
  helper: {
    /** The request arrives within this time after the connection. */
    requestMs: 5000,
    /** A request waits this long for the one before it. */
    turnMs: 20_000,
    /** Time limit of an operation, with all its waiting. */
    limitMs: 120_000,
    /** The hub waits this long for an answer. */
    answerMs: 30_000,
    /** Time limits of one run of nft, of chronyc, and of the programs of systemd. */
    nftMs: 10_000,
    chronycMs: 3000,
    systemMs: 15_000,
  },
} as const;
