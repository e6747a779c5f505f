// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

extension AskFailure {
  /// Whether nothing ran and a retry may work: the server was unreachable or full.
  var isPassing: Bool {
    switch delivery {
    // Without a cause the time ran out before sending.
    case .notSent: cause?.isPassing ?? true
    case .refused(let refusal): refusal.isPassing
    case .unknown: false
    }
  }

  /// Whether nothing ran and no retry can work; a failed authentication may be resolved later.
  var isLasting: Bool {
    switch delivery {
    case .notSent: cause?.isLasting == true
    case .refused(let refusal): !refusal.isPassing
    case .unknown: false
    }
  }

  /// Whether the prompt did not run: it was not sent, or it was refused.
  var isUnsent: Bool {
    if case .unknown = delivery { false } else { true }
  }

  /// Whether the server received the prompt and refused it.
  var hasLeft: Bool {
    if case .refused = delivery { true } else { false }
  }

  /// The usage limit because of which the agent refused the prompt, if any.
  var limit: UsageLimit? {
    if case .refused(let refusal) = delivery { refusal.limit } else { nil }
  }

  /// Whether the session no longer exists.
  var isSessionGone: Bool {
    switch delivery {
    case .refused(.rejected(let text, _)): ServerRefusal(words: text) == .sessionNotFound
    case .notSent, .unknown:
      if case .unknownSession? = cause { true } else { false }
    case .refused: false
    }
  }
}

extension PromptDelivery.Refusal {
  /// Whether a later attempt may be accepted.
  var isPassing: Bool {
    switch self {
    case .full, .busy: true
    case .rejected(let text, _):
      limit != nil || ServerRefusal(words: text) == .subscribeRateLimit
    case .agentRefused, .startFailed: limit != nil
    case .silent: false
    }
  }
}

extension IntentError {
  /// Whether no retry can work, by any user.
  fileprivate var isLasting: Bool {
    switch self {
    case .unknownWorkspace, .unknownSession, .unknownModel, .imagesTooLarge, .imageRefused,
      .sessionContinued:
      true
    case .refused(let status, _, _): (400..<500).contains(status) && !Self.passing.contains(status)
    default: false
    }
  }

  /// Statuses about the credentials or the moment.
  private static let passing: Set<Int> = [401, 403, 407, 408, 425, 429]
}
