import { Body, Catch, Controller, Get, HttpCode, Inject, Module, Param, ParseIntPipe, Post } from '@nestjs/common';
import type { ArgumentsHost, DynamicModule, ExceptionFilter } from '@nestjs/common';
import { ApiError, SellerClient } from 'marketplace-seller-sdk';
import type { ClientOptions } from 'marketplace-seller-sdk';

@Controller('questions')
export class QuestionsController {
  // The class is the token: Nest reads it from the metadata that TypeScript writes.
  constructor(
    private readonly seller: SellerClient,
    @Inject('SELLER_ID') private readonly seller_id: number,
  ) {}

  @Get()
  async open(): Promise<(string | null | undefined)[]> {
    const texts = [];
    for await (const { text } of this.seller.questions.search({ seller_id: this.seller_id })) texts.push(text);
    return texts;
  }

  @Post(':id/answer')
  @HttpCode(204)
  async answer(@Param('id', ParseIntPipe) question_id: number, @Body('text') text: string): Promise<void> {
    await this.seller.questions.answer({ question_id, text });
  }
}

/** An error of the marketplace, as the response to the caller of this application. */
@Catch(ApiError)
export class RefusalFilter implements ExceptionFilter<ApiError> {
  catch({ name, status }: ApiError, host: ArgumentsHost): void {
    host.switchToHttp().getResponse().status(status).json({ error: name });
  }
}

@Module({})
export class QuestionsModule {
  static forSeller(seller_id: number, options: ClientOptions): DynamicModule {
    const seller = { provide: SellerClient, useFactory: () => new SellerClient(options) };
    const id = { provide: 'SELLER_ID', useValue: seller_id };
    return { module: QuestionsModule, controllers: [QuestionsController], providers: [seller, id] };
  }
}
