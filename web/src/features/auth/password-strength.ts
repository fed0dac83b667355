/** What a chosen password must have. The hub accepts less; these are the defaults of the specification's strength rules. */
export const strengthPolicy = { minLength: 8, lowercase: true, uppercase: true, digit: true, special: false } as const;

export type StrengthRule = 'length' | 'lowercase' | 'uppercase' | 'digit' | 'userName' | 'characters';

const tests: Record<StrengthRule, (password: string, userName: string) => boolean> = {
  length: (password) => password.length >= strengthPolicy.minLength,
  lowercase: (password) => /[a-z]/.test(password),
  uppercase: (password) => /[A-Z]/.test(password),
  digit: (password) => /\d/.test(password),
  userName: (password, userName) => password !== '' && !password.toLowerCase().includes(userName.toLowerCase()),
  characters: (password) => password !== '' && /^[A-Za-z0-9_~!@#$%^&*\-+=]*$/.test(password),
};

export function strengthOf(password: string, userName: string): Record<StrengthRule, boolean> {
  const entries = Object.entries(tests).map(([rule, isMet]) => [rule, isMet(password, userName)]);
  return Object.fromEntries(entries) as Record<StrengthRule, boolean>;
}

export function isStrong(password: string, userName: string): boolean {
  return Object.values(strengthOf(password, userName)).every(Boolean);
}
