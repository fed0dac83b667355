/** Keeps the parameter sets that a stream sends between its pictures, and reports changes of the configuration. */
import { BitReader, unescapeNal } from './bit-reader.ts';
import { buildConfig, type ParameterSetList } from './decoder-config.ts';
import { type NalCodec, nalRole } from './nal-units.ts';
import { maxSetBytes } from './sps.ts';

const maxSetsOfKind = 31;

export class ParameterSets {
  private readonly codec: NalCodec;
  private list: ParameterSetList = { vps: [], sps: [], pps: [] };
  /** The decoder configuration, once all sets are known. */
  config: Uint8Array | undefined;

  constructor(codec: NalCodec) {
    this.codec = codec;
  }

  /** In the order that decoders expect. */
  get all(): readonly Uint8Array[] {
    return [...this.list.vps, ...this.list.sps, ...this.list.pps];
  }

  /** The newest sequence parameter set. */
  get sps(): Uint8Array | undefined {
    return this.list.sps.at(-1);
  }

  /** Takes the sets of one access unit. Returns whether they changed the configuration. */
  take(units: readonly Uint8Array[]): boolean {
    const found = { vps: this.of('vps', units), sps: this.of('sps', units), pps: this.of('pps', units) };
    if (found.vps.length + found.sps.length + found.pps.length === 0) return false;
    const { vps, sps, pps } = this.list;
    const hasSps = found.sps.length > 0;
    // Encoders repeat all sets of a sequence together. Known sets that are not among them belong to the old sequence.
    this.list = {
      vps: found.vps.length > 0 ? found.vps : vps,
      sps: hasSps ? found.sps : sps,
      pps: hasSps && found.pps.length > 0 ? found.pps : this.merged(pps, found.pps),
    };
    const config = buildConfig(this.codec, this.list);
    if (!config || (this.config && Buffer.compare(config, this.config) === 0)) return false;
    this.config = config;
    return true;
  }

  private of(kind: 'vps' | 'sps' | 'pps', units: readonly Uint8Array[]): Uint8Array[] {
    const found: Uint8Array[] = [];
    for (const unit of units) {
      if (nalRole(this.codec, unit[0] ?? 0) !== kind || unit.length > maxSetBytes) continue;
      // Copied, because a view would keep the whole picture in memory. The same set may occur twice.
      if (!found.some((set) => Buffer.compare(set, unit) === 0)) found.push(new Uint8Array(unit));
      if (found.length === maxSetsOfKind) break;
    }
    return found;
  }

  private merged(known: readonly Uint8Array[], fresh: readonly Uint8Array[]): readonly Uint8Array[] {
    if (fresh.length === 0) return known;
    const ids = new Set(fresh.map((set) => this.ppsId(set)));
    return [...known.filter((set) => !ids.has(this.ppsId(set))), ...fresh].slice(-maxSetsOfKind);
  }

  private ppsId(set: Uint8Array): number {
    return new BitReader(unescapeNal(set.subarray(this.codec === 'h264' ? 1 : 2, 16))).ue();
  }
}
