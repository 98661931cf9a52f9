// An inbox as a route of each framework, as its users would write it, with and without a body parser in front of it.
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { fastifyHandler, fetchHandler, nodeHandler } from 'marketplace-seller-sdk/inbox';
import type { Inbox } from 'marketplace-seller-sdk/inbox';

type Start = (inbox: Inbox) => Server;

export const servers: Readonly<Record<string, Start>> = {
  'Express 5': (inbox) => {
    const app = express();
    app.all('/notifications', nodeHandler(inbox));
    return app.listen(0, '127.0.0.1');
  },
  'Express 5 behind express.json()': (inbox) => {
    const app = express();
    app.use(express.json());
    app.all('/notifications', nodeHandler(inbox));
    return app.listen(0, '127.0.0.1');
  },
  'Express 4': (inbox) => {
    const app = express4();
    app.all('/notifications', nodeHandler(inbox));
    return app.listen(0, '127.0.0.1');
  },
  'Express 4 behind express.json()': (inbox) => {
    const app = express4();
    app.use(express4.json());
    app.all('/notifications', nodeHandler(inbox));
    return app.listen(0, '127.0.0.1');
  },
  Koa: (inbox) => {
    const handle = nodeHandler(inbox);
    const app = new Koa();
    app.use((context, next) => {
      if (context.path !== '/notifications') return next();
      context.respond = false;
      handle(context.req, context.res);
    });
    return app.listen(0, '127.0.0.1');
  },
  'Koa behind koa-bodyparser': (inbox) => {
    const handle = nodeHandler(inbox);
    const app = new Koa();
    app.use(bodyParser());
    app.use((context, next) => {
      if (context.path !== '/notifications') return next();
      context.respond = false;
      handle(Object.assign(context.req, { rawBody: context.request.rawBody }), context.res);
    });
    return app.listen(0, '127.0.0.1');
  },
  Fastify: (inbox) => {
    const app = fastify();
    app.post('/notifications', fastifyHandler(inbox));
    void app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
  'Fastify, with the reply that the handler returns': (inbox) => {
    const handle = fastifyHandler(inbox);
    const app = fastify();
    app.post('/notifications', async (request, reply) => handle(request, reply));
    void app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
  'Fastify, with a handler that waits and returns nothing': (inbox) => {
    const handle = fastifyHandler(inbox);
    const app = fastify();
    app.post('/notifications', async (request, reply) => {
      await handle(request, reply);
    });
    void app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
  Hono: (inbox) => {
    const handle = fetchHandler(inbox);
    const app = new Hono();
    app.all('/notifications', (context) => handle(context.req.raw));
    return serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', createServer }) as Server;
  },
};
