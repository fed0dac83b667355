import type { BodyInput } from '../../../../daemon/contract/endpoint.ts';
import { tokenApi } from '../../../../daemon/contract/tokens.ts';
import { call } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { tokensQuery } from './tokens-query.ts';

const refresh = () => queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey });

/** Answers the token, which can be read this once. */
export async function addToken(body: BodyInput<typeof tokenApi.add>): Promise<string> {
  const { token } = await call(tokenApi.add, { body });
  await refresh();
  return token;
}

export async function deleteToken(id: number): Promise<void> {
  await call(tokenApi.del, { body: { id } });
  await refresh();
}
