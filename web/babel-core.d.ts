/** The one function that the test set-up takes from a package that brings no types. */
declare module '@babel/core' {
  export function transformAsync(code: string, options: object): Promise<{ code?: string | null } | null>;
}
