import type { BodyInput } from '../../../../daemon/contract/endpoint.ts';
import { tokenApi } from '../../api/calls.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { type Credentials, presentPassword } from '../../shared/password/auth-calls.ts';
import { tokensQuery } from './tokens-query.ts';

const refresh = () => queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey });

/** Returns the token, which can be read only once. */
export async function addToken(
  by: Credentials,
  fields: Omit<BodyInput<typeof tokenApi.add>, 'password'>,
): Promise<string> {
  const body = { ...fields, ...(await presentPassword(by.id, by.password)) };
  const { token } = await call(tokenApi.add, { body });
  await refresh();
  return token;
}

export async function deleteToken(id: number): Promise<void> {
  await call(tokenApi.del, { body: { id } });
  await refresh();
}
