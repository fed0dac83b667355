import { HubError } from '../../daemon/lib/hub-error.ts';

/** Returns the address that a parser reads from a URL, or the fault that it names. */
export function parsed<T>(parse: () => T): { address: T } | { fault: { rule: string; detail: string } } {
  try {
    return { address: parse() };
  } catch (error) {
    const [field] = (error instanceof HubError && error.fields) || [];
    if (field?.path !== 'config.url') throw error;
    return { fault: { rule: field.rule, detail: field.message } };
  }
}
