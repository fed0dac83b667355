/** The set-up code that a user got before a reset, until the first password is set in the same tab. */

const name = 'signalbox-setup-code';

export function keepSetupCode(code: string): void {
  sessionStorage.setItem(name, code);
}

export function keptSetupCode(): string {
  return sessionStorage.getItem(name) ?? '';
}

export function forgetSetupCode(): void {
  sessionStorage.removeItem(name);
}
