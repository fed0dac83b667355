import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import type { Firmware, FirmwareProduct, StatedFirmware } from '../../../../../daemon/contract/firmware.ts';
import { deferredPart } from '../../../lib/lazy-part.tsx';
import { showToast } from '../../../ui/feedback/toasts.ts';
import { isFileOf } from './known-files.ts';
import { type FileFault, faultOfFile, needsNoAnswer } from './questions.ts';
import { continueUpload, usePausedUploads } from './UploadPanel.tsx';
import { addUpload } from './upload-queue.ts';

const DetailsDialog = deferredPart(() => import('./DetailsDialog.tsx'));

const faultTexts: Record<FileFault, (name: string) => MessageDescriptor> = {
  otherType: (name) => msg`“${name}” is not a firmware file (.mwf).`,
  empty: (name) => msg`“${name}” is empty.`,
  tooLarge: (name) => msg`“${name}” is larger than 2 GB.`,
};

interface Library {
  readonly list: readonly Firmware[];
  readonly products: readonly FirmwareProduct[];
}

/** Sends files, after what must be asked about them, one by one. `question` is the open dialog. */
export function useAddFiles(library: Library): { addFiles: (files: readonly File[]) => void; question: ReactNode } {
  const { i18n } = useLingui();
  const paused = usePausedUploads();
  const [asking, setAsking] = useState<readonly File[]>([]);
  const addFiles = (files: readonly File[]) => {
    const questions: File[] = [];
    for (const file of files) {
      const fault = faultOfFile(file);
      const resumed = paused.find((task) => isFileOf(task, file));
      if (fault !== undefined) showToast('error', i18n._(faultTexts[fault](file.name)));
      else if (resumed !== undefined) continueUpload(resumed, file);
      else if (needsNoAnswer(file.name, library.list)) addUpload({ file, stated: {} });
      else questions.push(file);
    }
    if (questions.length > 0) setAsking((before) => [...before, ...questions]);
  };
  const [file] = asking;
  const next = () => setAsking(([, ...rest]) => rest);
  const answered = (stated: StatedFirmware) => {
    if (file !== undefined) addUpload({ file, stated });
  };
  const question = file !== undefined && (
    <DetailsDialog
      key={`${file.name} ${file.size} ${asking.length}`}
      file={file}
      {...library}
      onAnswered={answered}
      onClose={next}
    />
  );
  return { addFiles, question };
}
