/** Devices that are dragged from a list to a group. */
import type { DragEvent } from 'react';

const type = 'application/x-signalbox-devices';

export const draggedDevices = {
  begin({ dataTransfer }: DragEvent, sns: readonly string[]): void {
    dataTransfer.setData(type, JSON.stringify(sns));
    dataTransfer.effectAllowed = 'move';
  },
  /** While something is over a place, only its type is known. */
  are: ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes(type),
  of({ dataTransfer }: DragEvent): string[] {
    const text = dataTransfer.getData(type);
    const parsed: unknown = text === '' ? [] : JSON.parse(text);
    return Array.isArray(parsed) ? parsed.filter((sn) => typeof sn === 'string') : [];
  },
};
