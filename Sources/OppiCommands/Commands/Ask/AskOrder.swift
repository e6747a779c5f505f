// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel

/// One ask as its caller wants it: the command line, a shortcut or a menu.
struct AskOrder: Sendable {
  /// Where the prompt goes.
  enum Place: Sendable {
    /// The workspaces of these names; without any, the one that the environment or the settings name.
    case workspaces([String])
    case session(SessionName)
    case workspace(ServerWorkspace)
  }

  /// How long the command waits.
  enum Waiting: Sendable {
    /// Until the server has the prompt.
    case delivery
    /// Until the turn is over; if it asks for input, what the settings say unless given.
    case turn(OnAsk?)
    /// Until the turn is over, which is shown meanwhile.
    case shownTurn(OnAsk?, isPlain: Bool)
    /// Until the server or the outbox has the prompt.
    case outbox(QueuePrompt.Terms)
  }

  var prompt: Prompt
  var place: Place
  var waiting = Waiting.delivery
  /// Where the model of the prompt was named.
  var modelSource = ValueSource.option("--model")
  /// The shortcut whose conversation the prompt continues; `nil` for none.
  var conversation: String?
  /// Whether nothing is sent, only shown.
  var isDryRun = false
  /// Gets the session that has the prompt.
  var hear: @Sendable (AskOutcome, PairedServer) -> Void = { _, _ in }

  init(_ prompt: Prompt, in place: Place) {
    self.prompt = prompt
    self.place = place
  }

  /// Whether the prompt is kept in the outbox if it cannot be delivered.
  var isQueueing: Bool {
    if case .outbox(let terms) = waiting { terms.isKept } else { false }
  }
}

extension Ask.Options {
  /// The order of the command line.
  func order(text: String, images: [ImageAttachment] = []) -> AskOrder {
    var prompt = Prompt(text)
    prompt.images = images
    prompt.model = model
    prompt.thinking = thinking
    prompt.title = name
    var order = AskOrder(prompt, in: session.map { .session($0) } ?? .workspaces(workspaces))
    order.waiting = waiting
    order.isDryRun = isDryRun
    return order
  }

  private var waiting: AskOrder.Waiting {
    if isFollowing { return .shownTurn(onAsk, isPlain: isPlain) }
    if isQueueing || key != nil {
      return .outbox(
        QueuePrompt.Terms(isKept: isQueueing, key: key, expiry: expiry, endsSession: false)
      )
    }
    return isWaiting ? .turn(onAsk) : .delivery
  }
}
