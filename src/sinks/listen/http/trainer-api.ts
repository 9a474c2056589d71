import type { FastifyInstance } from 'fastify';
import type { Listener } from '../index.js';
import { addBatchRoute } from './batch-route.js';
import { addEnvRoutes } from './env-routes.js';
import { addPostRoutes } from './post-routes.js';
import { addRegisterRoutes } from './register-routes.js';

/**
 * The API of the Atropos server, with the same JSON, from the store: `/`, `/register`, `/register-env`,
 * `/disconnect-env`, `/info`, `/status`, `/status-env`, `/wandb_info`, `/batch`, `/latest_example`, `/scored_data`,
 * `/scored_data_list`, `/reset_data`. `groupSize` is that of the run's own groups.
 */
export function trainerApi(app: FastifyInstance, listener: Listener, groupSize: number): void {
  app.get('/', () => ({ message: 'AtroposLib API' }));
  addRegisterRoutes(app, listener, groupSize);
  addEnvRoutes(app, listener);
  addBatchRoute(app, listener);
  addPostRoutes(app, listener);
}
