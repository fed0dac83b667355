import type { Audit } from './features/logs/audit.ts';
import type { SettingsService } from './features/settings/service.ts';
import type { TaskService } from './features/tasks/service.ts';
import type { UploadService } from './features/uploads/service.ts';
import type { ObjectAccessService } from './features/visibility/service.ts';
import type { Database } from './store/database.ts';

/** What every feature may use. */
export interface Common {
  readonly db: Database;
  readonly audit: Audit;
  readonly tasks: TaskService;
  readonly uploads: UploadService;
  readonly settings: SettingsService;
  readonly access: ObjectAccessService;
  readonly dataDir: string;
}
