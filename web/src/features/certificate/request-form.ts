/** The form of a certificate request. */
import { CertificateSubject } from '../../../../daemon/contract/certificate-fields.ts';
import { type FieldFaults, faultsOf } from '../../ui/form/schema-form.ts';

export interface RequestValues {
  readonly host: string;
  /** One per line. */
  readonly further: string;
  readonly organization: string;
  readonly locality: string;
  readonly state: string;
  readonly country: string;
  readonly key: 'ec' | 'rsa';
}

/** `host`: the host in the address of the page. */
export function requestValues(host: string): RequestValues {
  return { host, further: '', organization: '', locality: '', state: '', country: '', key: 'ec' };
}

export function toSubject({ host, further, country, ...values }: RequestValues): CertificateSubject {
  const names = [host, ...further.split(/[\s,;]+/)].map((name) => name.trim());
  // The first name is required: an empty one must not be left out, but refused.
  const named = names.filter((name, at) => at === 0 || (name !== '' && name !== names[0]));
  const { organization, locality, state, key } = values;
  const texts = Object.entries({ organization, locality, state }).filter(([, text]) => text.trim() !== '');
  return {
    names: [...new Set(named)],
    ...Object.fromEntries(texts.map(([name, text]) => [name, text.trim()])),
    ...(country.trim() !== '' && { country: country.trim().toUpperCase() }),
    key,
  };
}

export function fieldOfSubject(path: string): string {
  if (path === 'names.0') return 'host';
  return path.startsWith('names') ? 'further' : path;
}

export function checkRequest(values: RequestValues): FieldFaults {
  const faults: FieldFaults = {};
  for (const [path, rule] of Object.entries(faultsOf(CertificateSubject, toSubject(values)))) {
    faults[fieldOfSubject(path)] ??= rule;
  }
  return values.host.trim() === '' ? { ...faults, host: 'required' } : faults;
}
