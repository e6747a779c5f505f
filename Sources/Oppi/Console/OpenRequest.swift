// SPDX-License-Identifier: MIT

import OppiModel

/// A request of the console while it is open, on the screen or in the menu: its latest state, its
/// panel, and the answers to its parts.
struct OpenRequest: Sendable {
  enum Change: Sendable, Equatable {
    /// It is no longer pending; told once.
    case ended
    /// It is another request under the same id.
    case replaced
    /// It can be decided again, because a reply did not reach the server.
    case reopened
  }

  private(set) var request: ListedRequest
  /// `nil` if the request cannot be decided here.
  var panel: RequestPanel?
  private let isReadOnly: Bool
  /// What asks a human on the request's server.
  private let way: Dialect.Requests
  private let choices: [CallChoice]
  private let form: RequestPanel.Form
  private var answers: PartAnswers
  /// Whether the latest state was not pending.
  private var hasEnded = false

  /// `choices` are those of a call; `way` is what asks a human on the request's server.
  init(
    _ request: ListedRequest,
    for way: Dialect.Requests,
    isReadOnly: Bool,
    offering choices: [CallChoice] = CallChoice.allCases,
    in form: RequestPanel.Form
  ) {
    (self.request, self.way, self.isReadOnly) = (request, way, isReadOnly)
    (self.choices, self.form) = (choices, form)
    answers = PartAnswers(for: way)
    makePanel()
  }

  private mutating func makePanel() {
    panel = nil
    guard !isReadOnly, request.state == .pending else { return }
    panel = answers.open(of: request.request).map {
      RequestPanel($0, offering: choices, in: form)
    }
  }

  /// Takes the latest state of the request; one that changed is a new request, with nothing selected
  /// and nothing answered.
  mutating func update(_ latest: ListedRequest, at now: Timestamp) -> Change? {
    let isSame = latest.isSame(request)
    request = latest
    let hadEnded = hasEnded
    hasEnded = !latest.isOpen(at: now)
    guard !hasEnded else {
      panel = nil
      return hadEnded ? nil : .ended
    }
    guard !isSame || panel == nil else { return nil }
    // What was answered of the earlier request does not answer this one.
    if !isSame { answers = PartAnswers(for: way) }
    makePanel()
    guard isSame else { return .replaced }
    return panel == nil ? nil : .reopened
  }

  /// Takes a reply of the panel; returns the one to the whole request, or `nil` before the last part
  /// of a question, whose next part is open then.
  mutating func complete(_ reply: RequestReply) -> RequestReply? {
    guard let last = panel else { return reply }
    if let whole = answers.take(reply, to: last.subject) { return whole }
    panel = RequestPanel.of(answers.open(of: request.request), after: last, in: form)
    return nil
  }
}
