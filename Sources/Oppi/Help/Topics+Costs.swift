// SPDX-License-Identifier: MIT

import CommandTable

extension Topics {
  static let costs = HelpTopic(
    name: "costs",
    summary: "Costs, budgets and usage limits",
    explains: ["DOLLARS"],
    body: """
      Costs are in US dollars, by the server's figures. A server reports what a session has cost so \
      far; the cost of a turn is the increase. DOLLARS is an amount such as 2.50, with at most four \
      decimals.

          oppi ask -w api --wait --max-cost 2.50 'review the design'
          oppi shortcuts add tests -w api --wait --max-cost 5 'run the tests'
          oppi config set -w studio/api budget.day 10
          oppi config set budget.month 200
          oppi history --costs

      --max-cost stops a turn as soon as the server reports that it costs more: state stopped, \
      status 4, reason budget. A model's answer is counted when it is complete, so the cost can \
      exceed the amount by one answer.

      budget.day and budget.month limit the costs of all sessions of a workspace, of any client, on \
      one day or in one month of local time. A prompt that would start when a budget is used up is \
      not sent: status 75, error over-budget; with --queue it is tried again later, with the budget \
      that applied when it was queued. With --wait the \
      rest of the budget also limits the turn. With -s the settings for all workspaces apply, not \
      those of one workspace; chats are not limited. The first prompt with a budget begins the record: \
      what sessions of earlier months have cost is not counted. Checking such a budget takes one \
      request to the server; prompts without a budget have no such request. Without \
      --wait, a turn is not stopped when the budget runs out.

      'oppi history --costs' sums the costs of the prompts of this machine. The cost of a prompt \
      without --wait is known only if a later command has listed its session.

      A turn that fails because of a usage limit of the model's provider has the state limited and \
      the status 75. resetAt is the time of the reset, if the provider states it: as a time in UTC, \
      or as the time to wait. It is never estimated. A prompt that is refused because of a limit \
      fails at once; --queue keeps it until the reset. --on-limit wait or queue continues the turn \
      after the reset; a shortcut can have the member on-limit.
      """
  )
}
