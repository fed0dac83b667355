import { create } from 'zustand';

/** Name of the object that a detail page shows, for breadcrumb and document title; set by its PageHeader. */
export const usePageName = create<{ readonly name: string | undefined }>(() => ({ name: undefined }));
