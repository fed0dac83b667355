import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { NdiRuntime } from '../../../../daemon/contract/ndi-router.ts';
import { useFormat } from '../../i18n/useFormat.ts';
import { deferredPart } from '../../lib/lazy-part.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';

const RuntimeActs = deferredPart(() => import('./RuntimeActs.tsx'));

const faults: Readonly<Record<NonNullable<NdiRuntime['fault']>, MessageDescriptor>> = {
  unreadable: msg`The hub cannot read the file. Check its permissions.`,
  notLibrary: msg`The file is not a library. Replace it with that of the runtime.`,
  otherMachine: msg`The library is for another processor. Install the one for this machine.`,
  truncated: msg`The file is incomplete. Copy it again.`,
  missingDependency: msg`A library that the runtime needs is not installed.`,
  notLoadable: msg`The system cannot load the library.`,
  tooOld: msg`The runtime is too old. Install version 5 or newer.`,
  processorRefused: msg`The runtime does not support the processor of this machine.`,
  crashed: msg`The runtime ended as soon as it was loaded. Install another version.`,
};

/** Shows why routes cannot take effect, and what to do about it; nothing while the runtime works. */
export function RuntimeBanner({ runtime }: { runtime: NdiRuntime }) {
  const { i18n } = useLingui();
  const { comma } = useFormat();
  const { state, path, fault, detail, folders = [], reason } = runtime;
  switch (state) {
    case 'missing': {
      const searched = folders.join(comma);
      return (
        <Banner tone="warn" title={<Trans>There is no NDI runtime on this hub</Trans>}>
          <Trans>
            You can configure the router now; routes take effect once the runtime runs. Install the runtime from{' '}
            <a href="https://ndi.video" target="_blank" rel="noreferrer">
              ndi.video
            </a>{' '}
            in one of these folders: <code>{searched}</code>
          </Trans>
          <RuntimeActs mayUpload />
        </Banner>
      );
    }
    case 'unusable':
      return (
        <Banner tone="fault" title={<Trans>The hub cannot use the NDI runtime</Trans>}>
          {fault && i18n._(faults[fault])} {runtime.package && <Trans>Install the package {runtime.package}.</Trans>}
          <code>{[path, detail].filter(Boolean).join(' · ')}</code>
          <RuntimeActs mayUpload />
        </Banner>
      );
    case 'restarting': {
      const seconds = Math.max(1, Math.ceil((runtime['restarts-in'] ?? 0) / 1000));
      return (
        <Banner
          tone="warn"
          title={
            <Plural
              value={seconds}
              one="The NDI runtime has ended and starts again in # second"
              other="The NDI runtime has ended and starts again in # seconds"
            />
          }
        >
          <Trans>In the meantime, receivers keep the picture of their source. New receivers cannot connect.</Trans>
          <RuntimeActs mayUpload={false} />
        </Banner>
      );
    }
    case 'failed':
      return (
        <Banner tone="fault" title={<Trans>The NDI runtime ended too often</Trans>}>
          <Trans>The hub no longer starts it by itself. Receivers keep the picture of their source.</Trans>
          {reason && <code> {reason}</code>}
          <RuntimeActs mayUpload />
        </Banner>
      );
    case 'running':
      if (runtime.limit === 'simulator') {
        return (
          <Banner tone="info" title={<Trans>The NDI network is simulated</Trans>}>
            <Trans>
              This hub uses a simulator instead of an NDI runtime. Its sources exist only here, and other machines do
              not see the outputs.
            </Trans>
          </Banner>
        );
      }
      return runtime.limit === 'noMdns' ? (
        <Banner tone="warn" title={<Trans>Sources are not found by mDNS</Trans>}>
          <Trans>Start avahi-daemon on this machine. Discovery servers and additional machines work without it.</Trans>
        </Banner>
      ) : null;
    default:
      return null;
  }
}
