// SPDX-License-Identifier: MIT

extension PromptDelivery.Refusal {
  /// The usage limit of the model's provider because of which the prompt was refused, if any.
  package var limit: UsageLimit? {
    switch self {
    case .rejected(let text, _), .agentRefused(let text), .startFailed(let text):
      UsageLimit(statedIn: text)
    case .full, .busy, .silent: nil
    }
  }
}
