// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

extension AskFailure {
  /// Whether nothing has run, and the same may work later: the server was away or had no room.
  var isPassing: Bool {
    switch delivery {
    // Without a cause the time was over before it could be sent.
    case .notSent: cause?.isPassing ?? true
    case .refused(let refusal): refusal.isPassing
    case .unknown: false
    }
  }

  /// Whether nothing has run, and the same will never work; who is not let in may be again.
  var isLasting: Bool {
    switch delivery {
    case .notSent: cause?.isLasting == true
    case .refused(let refusal): !refusal.isPassing
    case .unknown: false
    }
  }

  /// Whether the server has seen the prompt and refused it.
  var hasLeft: Bool {
    if case .refused = delivery { true } else { false }
  }

  /// Whether the session is not there any more.
  package var isSessionGone: Bool {
    switch delivery {
    case .refused(.rejected(let text, _)): ServerRefusal(words: text) == .sessionNotFound
    case .notSent, .unknown:
      if case .unknownSession? = cause { true } else { false }
    case .refused: false
    }
  }
}

extension PromptDelivery.Refusal {
  /// Whether the same may be taken later.
  var isPassing: Bool {
    switch self {
    case .full, .busy: true
    case .rejected(let text, _): ServerRefusal(words: text) == .subscribeRateLimit
    case .startFailed, .agentRefused, .silent: false
    }
  }
}

extension IntentError {
  /// Whether the same will never work, whoever asks.
  fileprivate var isLasting: Bool {
    switch self {
    case .unknownWorkspace, .unknownSession, .unknownModel: true
    case .refused(let status, _, _): (400..<500).contains(status) && !Self.passing.contains(status)
    default: false
    }
  }

  /// Refusals of who asks, or of the moment.
  private static let passing: Set<Int> = [401, 403, 407, 408, 425, 429]
}
