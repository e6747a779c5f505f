// SPDX-License-Identifier: MIT

import OppiModel

/// An ask by the command line, a shortcut or a menu.
struct AskOrder: Sendable {
  enum Place: Sendable {
    /// Workspaces by name; if empty, the one from the environment or the settings.
    case workspaces([String])
    case session(SessionName)
    case workspace(ServerWorkspace)
  }

  /// What the command waits for.
  enum Waiting: Sendable {
    /// Until the server has the prompt.
    case delivery
    /// Until the turn ends; `nil` uses the setting `on-ask`.
    case turn(OnAsk?)
    /// Until the turn ends, with a live view.
    case shownTurn(OnAsk?, isPlain: Bool)
    /// Until the server or the outbox has the prompt.
    case outbox(QueuePrompt.Terms)
  }

  var prompt: Prompt
  var place: Place
  var waiting = Waiting.delivery
  /// What the command does when an awaited turn reaches a usage limit.
  var onLimit = OnLimit.fail
  /// The most that the turn may cost; `nil` for no limit.
  var maxCost: Dollars?
  var checks = AnswerChecks()
  /// Whether the session is ended after the last turn.
  var endsSession = false
  /// The id of the turn after which the prompt is sent, in a chain; `nil` for none.
  var after: String?
  /// The shortcut that sends the prompt; `nil` for none.
  var shortcut: String?
  /// Where the prompt's model was specified.
  var modelSource = ValueSource.option("--model")
  /// The shortcut whose conversation the prompt continues; `nil` for none.
  var conversation: String?
  /// Whether to only show what would be sent.
  var isDryRun = false
  /// Called after delivery.
  var hear: @Sendable (AskOutcome, PairedServer) -> Void = { _, _ in }

  init(_ prompt: Prompt, in place: Place) {
    self.prompt = prompt
    self.place = place
  }

  /// Whether the outbox stores the prompt, with its images.
  var isStored: Bool {
    if case .outbox = waiting { true } else { false }
  }

  /// Whether the turn is shown.
  var isShown: Bool {
    if case .shownTurn = waiting { true } else { false }
  }

  /// Whether to queue the prompt if it cannot be delivered.
  var isQueueing: Bool {
    if case .outbox(let terms) = waiting { terms.isKept } else { false }
  }
}

extension Ask.Options {
  func order(text: String, images: [ImageAttachment] = []) -> AskOrder {
    var prompt = Prompt(text)
    prompt.images = images
    prompt.model = model
    prompt.thinking = thinking
    prompt.title = name
    var order = AskOrder(prompt, in: session.map { .session($0) } ?? .workspaces(workspaces))
    order.waiting = waiting
    order.onLimit = onLimit
    order.maxCost = maxCost
    order.checks.command = verify
    order.checks.commandRetries = verifyRetries?.number ?? 0
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
