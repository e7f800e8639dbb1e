import { readManifest } from 'forkyard/client'
import { announceWallet, createTestWallet } from 'forkyard/wallet'
import { afterAll, beforeEach, expect, inject, test } from 'vitest'
import { page } from 'vitest/browser'
import { openPayPage } from './payPage.ts'

/** Runs in the browser, beside the page: what a person would do is a line of the test. */
const { chains } = await readManifest(inject('labUrl'))
const wallet = createTestWallet({
  chains,
  chainId: 8453,
  privateKey: chains[8453].accounts[6].privateKey,
})
afterAll(announceWallet(wallet.provider))
beforeEach(() => {
  wallet.set({ answer: 'approve' })
  openPayPage(document.body)
})

test('pays once the person agrees', async () => {
  await page.getByRole('button', { name: 'Pay' }).click()
  await expect.element(page.getByText(/^paid by 0x[0-9a-f]{64}$/)).toBeVisible()
})

test('says so where the person does not', async () => {
  wallet.set({ answer: 'reject' })
  await page.getByRole('button', { name: 'Pay' }).click()
  await expect.element(page.getByText('not paid: User rejected the request.')).toBeVisible()
})
