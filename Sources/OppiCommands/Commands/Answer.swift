// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering

/// `oppi answer`: answers what an agent asks.
enum Answer {
  struct Options: Sendable, Equatable {
    var question: String?
    var isYes = false
    var isNo = false
    var isCancelled = false
    var values: [String] = []
  }

  static let command: Command = Command(
    "answer",
    "Answer an agent's question",
    discussion: """
      SESSION is the one that asks, as 'oppi sessions --state waiting' lists it. Without a VALUE the \
      question is shown with its choices, and nothing is answered.

      A question may have several parts: each VALUE answers one, in their order, by the number of a \
      choice, its words, or a text of your own where that is allowed; where several choices may be \
      made, with commas between them. An empty VALUE leaves its part unanswered, and so do missing \
      ones at the end. A yes-or-no question takes yes or no. What is said to be answered was taken \
      by the server; a question that waits no more is told as such, with status 5. No agent is \
      started.

      A dialog of an extension, and any question of a server before March 2026, is told to those \
      only who are there when it comes up. It can be answered by its id, which 'oppi follow --json' \
      tells: with --question ID, a single VALUE as the answer, or --yes or --no.
      """,
    examples: [
      CommandExample("oppi answer CdJR04ap", "See what is asked"),
      CommandExample("oppi answer CdJR04ap 2 'Lint, Docs'", "Answer its two parts"),
      CommandExample("oppi answer CdJR04ap --cancel", "Leave it unanswered"),
    ],
    exitStatuses: [0, 5, 64, 65, 66, 69, 75, 76, 77, 78],
    members: shape.rows,
    group: Group.watching,
    positional: RequiredPositional<SessionName>(
      "session",
      completion: .dynamic("question"),
      "The session that asks"
    ),
    options: Options(),
    arguments: [
      .option("question", placeholder: "ID", \.question, "The question's id"),
      .flag("yes", \.isYes, "With --question: say yes"),
      .flag("no", \.isNo, "With --question: say no"),
      .flag("cancel", \.isCancelled, "Leave the question unanswered"),
      .positional("value", \.values, "The answers"),
    ],
    validate: validate,
    run: run
  )

  private static let validate: @Sendable (Options) throws(UsageError) -> Void = {
    (options) throws(UsageError) in
    let ways = [options.isYes, options.isNo, options.isCancelled, !options.values.isEmpty]
    guard ways.count(where: \.self) <= 1 else {
      throw UsageError(.contradiction("give one of VALUE, --yes, --no and --cancel"))
    }
    guard options.question != nil || !(options.isYes || options.isNo) else {
      throw UsageError(.custom("--yes and --no go with --question"))
    }
    if let id = options.question, !WireID.isValid(id) {
      throw UsageError(.custom("--question expects a question's id"))
    }
  }

  static func run(
    _ name: SessionName,
    _ options: Options,
    in context: Context
  ) async throws -> Report {
    let session = try await context.session(named: name)
    let api = try await context.connections.client(for: session.server)
      .limited(to: context.options.timeout)
    var seen: UserQuestion?
    let outcome = try await AnswerQuestion(session, api: api)
      .answer(questionID: options.question) { question in
        seen = question
        return try options.answer(to: question)
      }
    guard outcome != .tooLate else { throw OppiError.questionGone(options.question, of: session) }
    let state = outcome == .seen ? "waiting" : options.isCancelled ? "cancelled" : "answered"
    let width = context.console.policy.form == .eyes ? context.console.policy.width : Int.max
    let lines = outcome == .seen ? seen.map { ChatQuestion.lines(ofAll: $0, width: width) } : nil
    let words = options.isCancelled ? "left unanswered" : "answered"
    let described = (session: session, question: seen, id: options.question, state: state)
    return Report(
      shape.document(of: described),
      lines.map(Report.Text.lines) ?? .nothing,
      status: outcome == .seen ? nil : StyledText("\(words); \(session.id) goes on"),
      notes: outcome == .seen ? [.hint("answer with: oppi answer -- \(session.id) VALUE…")] : []
    )
  }

  private typealias Described = (
    session: ServerSession, question: UserQuestion?, id: String?, state: String
  )

  private static let shape: JSONShape<Described> = [
    .member("state", "answered or cancelled where the server took it; waiting without a VALUE") {
      .string($0.state)
    },
    .member("sessionId", "The session") { .string($0.session.id) },
    .member("questionId", "The question") {
      ($0.id ?? $0.question?.id).map(JSONValue.string)
    },
    .member("question", "What is asked, as the server wrote it, where it told it") {
      $0.question?.body
    },
  ]
}

extension Answer.Options {
  /// The answer that was given; `nil` where the question is only to be shown.
  fileprivate func answer(to question: UserQuestion?) throws(OppiError) -> QuestionAnswer? {
    if isCancelled { return .cancelled }
    if isYes || isNo { return .confirmed(isYes) }
    guard let question else {
      guard values.count <= 1 else {
        throw OppiError(.badInput, "a question that is not told takes one answer")
      }
      return values.first.map(QuestionAnswer.value)
    }
    return values.isEmpty ? nil : try ChatQuestion.answer(to: question, by: values)
  }
}

extension ChatQuestion {
  /// The answer that some words give to the parts of a question, in their order.
  ///
  /// - Throws: `badInput` where a word is none that its part takes, or there are too many.
  fileprivate static func answer(
    to question: UserQuestion,
    by values: [String]
  ) throws(OppiError) -> QuestionAnswer {
    var answered: [String: String] = [:]
    var skipped: Set<String> = []
    for value in values {
      guard let part = ChatQuestion(question, answered: answered) else {
        throw OppiError(.badInput, "there are more answers than the question has parts")
      }
      if value.isEmpty, let id = part.partID {
        answered[id] = ""
        skipped.insert(id)
        continue
      }
      guard let answer = part.answer(forText: value) else {
        let labels = part.choices.map { $0.label.safeLine(limit: 80) }.joined(separator: ", ")
        throw OppiError(
          .badInput,
          "'\(value.safeLine(limit: 60))' does not answer: \(part.text.safeLine(limit: 120))",
          hints: labels.isEmpty ? [] : ["its choices are: \(labels)"]
        )
      }
      guard let id = part.partID, case .value(let text) = answer else {
        guard values.count == 1 else {
          throw OppiError(.badInput, "the question takes one answer")
        }
        return answer
      }
      answered[id] = text
    }
    return .answers(answered.filter { !skipped.contains($0.key) })
  }

  /// All parts of a question with their choices.
  fileprivate static func lines(ofAll question: UserQuestion, width: Int) -> [StyledText] {
    var answered: [String: String] = [:]
    var lines: [StyledText] = []
    while let part = ChatQuestion(question, answered: answered) {
      lines += part.lines(width: width)
      guard let id = part.partID else { break }
      answered[id] = ""
    }
    return lines
  }
}

extension OppiError {
  /// A question does not wait any more, or is none that is told.
  fileprivate static func questionGone(_ id: String?, of session: ServerSession) -> OppiError {
    OppiError(
      .requestGone,
      id.map { "no question \($0) waits in session \(session.id)" }
        ?? "session \(session.id) tells of no question that waits",
      hints: [
        "it was answered already, or is one that is only told where it came up; see: oppi help answer"
      ],
      details: ["sessionId": .string(session.id)]
    )
  }
}
