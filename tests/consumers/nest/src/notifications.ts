import { All, Controller, Inject, Module, Req, Res } from '@nestjs/common';
import type { DynamicModule, Type } from '@nestjs/common';
import { fastifyHandler, nodeHandler } from 'marketplace-seller-sdk/inbox';
import type { Inbox, NodeRequest, NodeResponse } from 'marketplace-seller-sdk/inbox';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** With Express, which Nest uses by default. It has parsed the body. */
@Controller('notifications')
export class ExpressNotifications {
  private readonly handle;

  constructor(@Inject('INBOX') inbox: Inbox) {
    this.handle = nodeHandler(inbox);
  }

  @All()
  receive(@Req() request: NodeRequest, @Res() response: NodeResponse): void {
    this.handle(request, response);
  }
}

/** With Fastify: `@Res()` leaves the response to the handler. */
@Controller('notifications')
export class FastifyNotifications {
  private readonly handle;

  constructor(@Inject('INBOX') inbox: Inbox) {
    this.handle = fastifyHandler(inbox);
  }

  @All()
  async receive(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.handle(request, reply);
  }
}

@Module({})
export class NotificationsModule {
  static with(controller: Type, inbox: Inbox): DynamicModule {
    return {
      module: NotificationsModule,
      controllers: [controller],
      providers: [{ provide: 'INBOX', useValue: inbox }],
    };
  }
}
