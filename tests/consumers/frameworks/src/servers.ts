// An inbox as a route of each framework, as its users would write it, with and without a body parser in front of it.
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import { Hono } from 'hono';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { fetchHandler, nodeHandler } from 'marketplace-seller-sdk/notifications';
import type { Receiver } from 'marketplace-seller-sdk/notifications';

type Start = (receiver: Receiver) => Server;

export const servers: Readonly<Record<string, Start>> = {
  'Express 5': (receiver) => {
    const app = express();
    app.all('/notifications', nodeHandler(receiver));
    return app.listen(0, '127.0.0.1');
  },
  'Express 5 behind express.json()': (receiver) => {
    const app = express();
    app.use(express.json());
    app.all('/notifications', nodeHandler(receiver));
    return app.listen(0, '127.0.0.1');
  },
  'Express 4': (receiver) => {
    const app = express4();
    app.all('/notifications', nodeHandler(receiver));
    return app.listen(0, '127.0.0.1');
  },
  'Express 4 behind express.json()': (receiver) => {
    const app = express4();
    app.use(express4.json());
    app.all('/notifications', nodeHandler(receiver));
    return app.listen(0, '127.0.0.1');
  },
  Koa: (receiver) => {
    const handle = nodeHandler(receiver);
    const app = new Koa();
    app.use((context, next) => {
      if (context.path !== '/notifications') return next();
      context.respond = false;
      handle(context.req, context.res);
    });
    return app.listen(0, '127.0.0.1');
  },
  'Koa behind koa-bodyparser': (receiver) => {
    const handle = nodeHandler(receiver);
    const app = new Koa();
    app.use(bodyParser());
    app.use((context, next) => {
      if (context.path !== '/notifications') return next();
      context.respond = false;
      handle(Object.assign(context.req, { rawBody: context.request.rawBody }), context.res);
    });
    return app.listen(0, '127.0.0.1');
  },
  Hono: (receiver) => {
    const handle = fetchHandler(receiver);
    const app = new Hono();
    app.all('/notifications', (context) => handle(context.req.raw));
    return serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', createServer }) as Server;
  },
};
