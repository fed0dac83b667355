/** The web access settings that move browsers from HTTP to HTTPS. */
import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Settings } from '../../../../daemon/contract/settings.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';

export interface WebValues {
  readonly http: string;
  readonly isHttps: boolean;
  readonly https: string;
  readonly isRedirected: boolean;
  readonly hasHsts: boolean;
}

interface HttpsOnlyProps {
  readonly form: UseFormReturnType<WebValues>;
  readonly web: Settings['web'];
}

/** The hub allows both to be enabled only over HTTPS, so that administrators cannot lock themselves out. */
export function HttpsOnlyFields({ form, web }: HttpsOnlyProps) {
  const { t } = useLingui();
  const isPlain = location.protocol !== 'https:';
  const needsHttps = t`To switch this on, open the console over HTTPS.`;
  const redirect = t`API calls over HTTP are refused. A change of the HTTPS port switches this off.`;
  const hsts = t`Browsers that trust the certificate remember to use HTTPS only.`;
  return (
    <>
      <Checkbox
        label={t`Redirect HTTP to HTTPS`}
        description={isPlain && !web['redirect-https'] ? needsHttps : redirect}
        disabled={isPlain && !web['redirect-https']}
        {...form.getInputProps('isRedirected', { type: 'checkbox' })}
      />
      <Checkbox
        label={t`Strict Transport Security (HSTS)`}
        description={isPlain && !web.hsts ? needsHttps : hsts}
        disabled={isPlain && !web.hsts}
        {...form.getInputProps('hasHsts', { type: 'checkbox' })}
      />
    </>
  );
}

/** Warns about effects that cannot be undone immediately. */
export function HttpsOnlyBanner({ values, web }: { values: WebValues; web: Settings['web'] }) {
  if (!values.isHttps || !values.hasHsts || web.hsts) return null;
  return (
    <Banner tone="warn" title={<Trans>Browsers remember HSTS for 26 weeks</Trans>}>
      <Trans>
        Each browser that visits over HTTPS then uses HTTPS for every port of this host name, and its users cannot
        bypass a certificate warning. HLS over plain HTTP under this name no longer plays there. Switching HSTS off
        takes effect in a browser at its next visit over HTTPS.
      </Trans>
    </Banner>
  );
}
