import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { PAGE_PATH } from './page-path.ts';
import './styles/tokens.css';
import './styles/base.css';
import './parts/panel/panel.css';
import './parts/verdict/verdict.css';
import './parts/dialog/dialog.css';
import './parts/timeline/timeline.css';
import { Page } from './views/page.tsx';

/** Answers are asked for anew when the reader comes back to the page; a refusal is not tried again by itself. */
const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 5000 } },
});

const place = document.querySelector('#page');
if (place === null) throw new Error('cannot show the page: index.html has no element for it');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Router base={PAGE_PATH.replace(/\/$/, '')}>
        <Page />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
