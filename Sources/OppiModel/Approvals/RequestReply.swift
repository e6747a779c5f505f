// SPDX-License-Identifier: MIT

/// What a user replies to a request.
package enum RequestReply: Sendable, Hashable {
  /// Approval or denial.
  case decision(PermissionDecision)
  case answer(QuestionAnswer)

  /// A reply of the same kind without the text of an answer.
  package var withoutText: RequestReply {
    switch self {
    case .decision, .answer(.cancelled): self
    case .answer: .answer(.choices([:]))
    }
  }

  /// Whether the agent may not do what it asked for.
  package var isRefusal: Bool {
    switch self {
    case .decision(let decision): decision == .deny
    case .answer(let answer): answer.isRefusal
    }
  }

  package enum Effect: String, Sendable {
    case allow
    case deny
    case answer
  }

  /// What the reply does to a request.
  ///
  /// No option of a question counts as an approval, whatever its text.
  package func effect(on request: HumanRequest) -> Effect {
    switch self {
    case .decision(.deny): .deny
    case .decision, .answer(.confirmed(true)): .allow
    case .answer(let answer):
      request.question?.isRefused(by: answer) ?? answer.isRefusal ? .deny : .answer
    }
  }
}

extension HumanRequest {
  /// The reply that refuses it.
  package var refusal: RequestReply { kind.refusal }

  /// Why a request does not accept a reply.
  package enum Mismatch: Error, Sendable, Equatable {
    /// The question is not answered by an approval.
    case needsAnswer
    /// The tool call is not decided by an answer.
    case needsDecision
    /// A question has no approval for more than this time.
    case hasNoScope
    /// A part of the request is missing here, so that it can only be denied.
    case incomplete
  }

  /// The reply in the terms of the request: an approval of a confirmation is a yes, and a denial of
  /// any question cancels it.
  ///
  /// No option of a question counts as an approval, whatever its text.
  package func accepting(_ reply: RequestReply) throws(Mismatch) -> RequestReply {
    switch (self, reply) {
    case (.permission, .answer): throw .needsDecision
    case (.question, .decision(.deny)): return .answer(.cancelled)
    case (.question(let question), .decision(.allow)):
      guard question.kind == .confirm else { throw .needsAnswer }
      return try accepting(.answer(.confirmed(true)))
    case (.question, .decision): throw .hasNoScope
    case (.permission, .decision), (.question, .answer):
      guard ApprovalPolicy.obstacle(to: reply, self, on: .command) == nil else {
        throw .incomplete
      }
      return reply
    }
  }
}

/// The user's marks on requests, until all of them are sent together.
///
/// A mark belongs to the request as it was shown. It is dropped as soon as the request changes or is
/// no longer pending.
package struct BatchMarks: Sendable, Equatable {
  package struct Mark: Sendable, Equatable {
    package let reply: RequestReply
    package let request: ListedRequest

    /// The mark in one word.
    package var word: String {
      switch reply {
      case _ where reply.isRefusal: "deny"
      case .decision, .answer(.confirmed): "allow"
      case .answer: "answer"
      }
    }

    /// The chosen option, which the word does not tell.
    package var choice: String? {
      guard case .answer(.value(let value)) = reply else { return nil }
      return value.safeLine(limit: 40)
    }
  }

  /// The number of requests with each mark, and without one.
  package struct Counts: Sendable, Equatable {
    package var allow = 0
    package var deny = 0
    package var answer = 0
    package var leave = 0

    package init(allow: Int = 0, deny: Int = 0, answer: Int = 0, leave: Int = 0) {
      (self.allow, self.deny, self.answer, self.leave) = (allow, deny, answer, leave)
    }

    package var text: String {
      "allow \(allow), deny \(deny)" + (answer > 0 ? ", answer \(answer)" : "") + ", leave \(leave)"
    }
  }

  private var marks: [ListedRequest.ID: Mark] = [:]
  /// The requests whose last mark was dropped.
  package private(set) var dropped: Set<ListedRequest.ID> = []

  package init() {}

  package var isEmpty: Bool { marks.isEmpty }

  package subscript(id: ListedRequest.ID) -> Mark? { marks[id] }

  /// Marks one request with a reply that the user confirmed with the whole request in view, or with
  /// a denial.
  ///
  /// Returns false for a reply that cannot be marked: an approval of more than this call, or a reply
  /// that the request does not accept.
  package mutating func mark(_ request: ListedRequest, _ reply: RequestReply) -> Bool {
    guard Self.canBeMarked(reply), (try? request.request.accepting(reply)) != nil else {
      return false
    }
    marks[request.id] = Mark(reply: reply, request: request)
    dropped.remove(request.id)
    return true
  }

  private static func canBeMarked(_ reply: RequestReply) -> Bool {
    switch reply {
    case .decision(.allowForSession), .decision(.allowEverywhere): false
    case .decision(.allow), .decision(.deny), .answer: true
    }
  }

  package mutating func unmark(_ id: ListedRequest.ID) {
    marks[id] = nil
    dropped.remove(id)
  }

  /// Drops the marks of requests that changed or are no longer pending, and returns them, the most
  /// urgent first.
  package mutating func drop(after board: ConsoleBoard, at now: Timestamp) -> [Mark] {
    let lost = marks.values.filter { !board.isPending(asShown: $0.request, at: now) }
    for mark in lost {
      marks[mark.request.id] = nil
      dropped.insert(mark.request.id)
    }
    return lost.sorted { $0.request.approval < $1.request.approval }
  }

  /// The marks in the order in which they are sent: the most urgent first.
  package var all: [Mark] { marks.values.sorted { $0.request.approval < $1.request.approval } }

  /// The numbers of marks, and of the other pending requests among `ids`.
  package func counts(among ids: [ListedRequest.ID]) -> Counts {
    func count(_ word: String) -> Int { marks.values.count { $0.word == word } }
    return Counts(
      allow: count("allow"),
      deny: count("deny"),
      answer: count("answer"),
      leave: ids.count { marks[$0] == nil }
    )
  }
}
