// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient
import OppiModel
import OppiSystem
import OppiTerminal
import OppiText
import OppiWire

/// `oppi answer`: answers an agent's question.
package enum Answer {
  struct Options: Sendable, Equatable {
    @Required var id: QuestionName
    var question: String?
    var isYes = false
    var isNo = false
    var isCancelled = false
    var values: [String] = []
  }

  package static let command: Command = Command(
    "answer",
    "Answer an agent's question",
    discussion: """
      ID is the id of a question, as listed by 'oppi approvals', or its first characters (at \
      least 4); or a session with a pending question, as listed by 'oppi sessions --state \
      waiting'; SERVER/ID selects one of several servers. Without VALUE the question and its \
      choices are shown, and nothing is sent.

      A question takes one VALUE: the number of a choice as shown, exactly its text, or your own \
      text if that is allowed. A value that names several choices is rejected. A yes-or-no \
      question takes yes or no; --yes and --no also choose between two choices such as Allow and \
      Deny. A question may also have several parts. Each VALUE then answers one part, in order, and \
      there must be one for each part; an empty VALUE skips its part. If a part allows several \
      choices, separate them by commas. With --question PART, each VALUE is a choice of that part, \
      and the other parts are skipped.

      The command succeeds only after the server accepts the answer. If the question is no longer \
      pending, the status is 5; it was answered elsewhere or timed out. It is also 5 if the \
      question has changed since it was shown, or the session now asks another one: nothing is \
      sent until you have seen that one. If the answer was sent and \
      not confirmed, the status is 6; look at the pending questions before you repeat it. No agent \
      is started.

      On servers older than May 2026, ID must be a session. The dialogs of extensions, and all \
      questions of servers older than March 2026, are shown only to clients connected at that \
      moment. Answer them by id, which 'oppi follow --json' prints: --question ID with a single \
      VALUE, --yes or --no. On newer servers this is needed only for dialogs of kind editor and \
      those without choices.
      """,
    examples: [
      ("oppi answer CdJR04ap", "Show the question"),
      ("oppi answer CdJR04ap 2 'Lint, Docs'", "Answer both parts of the question"),
      ("oppi answer CdJR04ap --cancel", "Cancel the request"),
    ],
    exitStatuses: [0, 5, 6, 64, 65, 66, 69, 75, 76, 77, 78],
    members: shape.rows,
    group: Group.watching,
    options: Options(),
    arguments: [
      .option(
        "question",
        placeholder: "ID",
        \.question,
        "Answer the question or part with this id"
      ),
      .flag("yes", \.isYes, "Answer yes, or choose what means yes"),
      .flag("no", \.isNo, "Answer no, or choose what means no"),
      .flag("cancel", \.isCancelled, "Cancel the request without an answer"),
      .positional(
        "id",
        completion: .names(of: .question),
        \.$id,
        "The question, or the session with the question"
      ),
      .positional("value", \.values, "The answers"),
    ],
    validate: validate,
    run: run
  )

  private static let validate: @Sendable (Options) throws(UsageError) -> Void = {
    (options) throws(UsageError) in
    let ways = [options.isYes, options.isNo, options.isCancelled, !options.values.isEmpty]
    guard ways.count(where: \.self) <= 1 else {
      throw UsageError(.contradiction("give only one of VALUE, --yes, --no and --cancel"))
    }
  }

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let resolver = QuestionResolver(fleet: try context.fleet(), context: context.services)
    let target = try await resolver.resolve(options.id.text)
    let order = try AnswerOrder(options, to: target)
    let session = target.session
    let api = try await context.connections.client(for: session.server)
      .limited(to: context.options.timeout)
    var seen: UserQuestion?
    let outcome = try await AnswerQuestion(target: target, api: api)
      .answer(questionID: order.questionID) { question in
        seen = question
        let answer = try order.answer(to: question)
        if let answer, !(question?.isRefused(by: answer) ?? answer.isRefusal) {
          try order.check(question, in: context.services)
        }
        return answer
      }
    // A settled question stays: the next one of its session has not been seen.
    if outcome == nil, let shown = order.shown(seen) {
      await context.services.remember(read: shown)
    }
    switch outcome {
    case .tooLate?, .changed?: throw order.notPending
    case .unknown?, .unconfirmed?:
      throw OppiError.answerUnknown(id: order.questionID ?? seen?.id ?? session.id)
    case .decided?, nil: return report(order, seen, isSent: outcome != nil, in: context)
    }
  }

  private static func report(
    _ order: AnswerOrder,
    _ seen: UserQuestion?,
    isSent: Bool,
    in context: Context
  ) -> Report {
    let isCancelled = order.options.isCancelled
    let state = isSent ? isCancelled ? "cancelled" : "answered" : "waiting"
    let document = shape.document(of: (order, seen, state))
    guard !isSent else {
      let words = RequestReply.answerNotice(isCancelled: isCancelled)
      return Report(document, status: StyledText("\(words); \(order.target.session.id) resumed"))
    }
    let width = context.output.policy.form == .terminal ? context.output.policy.width : Int.max
    return Report(
      document,
      seen.map { .lines(order.lines(of: $0, width: width)) } ?? .nothing,
      notes: [.hint("answer with: oppi answer \(order.name(seen).asOperand) VALUE…")]
    )
  }

  private static let shape: JSONShape<(order: AnswerOrder, seen: UserQuestion?, state: String)> = [
    .text("state", "answered or cancelled if the server accepted it; waiting without VALUE") {
      $0.state
    },
    .text("sessionId", "The session") { $0.order.target.session.id },
    .member("questionId", "The question's id") {
      ($0.order.questionID ?? $0.seen?.id).map(JSONValue.string)
    },
    .member("question", "The question as sent by the server, if available") { $0.seen?.body },
  ]
}

/// The id of a question or of its session, or a prefix of one.
struct QuestionName: ArgumentValue, Equatable {
  static let placeholder = "ID"
  static let isIdentifier = true

  var text: String

  init(argument: String) throws(ArgumentValueError) {
    guard !argument.isEmpty else {
      throw ArgumentValueError("expects the id of a question or of a session")
    }
    text = argument
  }
}

/// What a command line answers to which question.
struct AnswerOrder {
  let options: Answer.Options
  let target: QuestionResolver.Target

  /// Throws for an answer that needs the id of a question, without one.
  init(_ options: Answer.Options, to target: QuestionResolver.Target) throws(OppiError) {
    (self.options, self.target) = (options, target)
    guard target.way.listsDialogs || options.question != nil || !options.isYesOrNo else {
      throw OppiError(.usage, "--yes and --no require --question")
    }
    if target.request == nil, let id = options.question, !WireID.isValid(id) {
      throw OppiError(.usage, "--question expects an id")
    }
  }

  /// The id of the question if it was named, or of a part of the session's question.
  var questionID: String? { target.request?.id ?? options.question }

  /// The name that selects the same question again: its own id where the server lists it.
  func name(_ seen: UserQuestion?) -> String {
    (target.way.listsDialogs ? seen?.id : target.request?.id) ?? target.session.id
  }

  /// The record that a question was shown.
  func shown(_ question: UserQuestion?) -> ShownRequests.Entry? {
    let session = target.session
    return question.map {
      ShownRequests.Entry(.question($0), of: session.server.id, in: session.id)
    }
  }

  /// The question, or the session without its id, has nothing pending.
  var notPending: OppiError {
    let session = target.session.id
    let question = questionID.map { "question \($0.safeLine(limit: 60))" }
    let isRepeated = target.session.server.repeatsQuestions
    return OppiError(
      .requestGone,
      question.map { "\($0) is no longer pending in session \(session)" }
        ?? "session \(session) has no pending question",
      hints: [
        isRepeated
          ? "some questions can be answered only by id; see: oppi help answer"
          : "if it asks something, " + QuestionText.unreported(in: session)
      ],
      details: ["sessionId": .string(session)]
    )
  }

  /// Throws if a command has shown another question than the one that would be answered.
  func check(_ question: UserQuestion?, in context: Services) throws(OppiError) {
    guard let present = shown(question), let past = context.shownRequests.usable() else { return }
    if past.differ(from: present) { throw .requestChanged(id: present.requestID) }
    let typed = PlacedID(options.id.text).id
    guard typed != present.requestID, options.question != present.requestID,
      past.differInSession(from: present, startingWith: target.request == nil ? "" : typed)
    else { return }
    let session = target.session.id
    throw OppiError(
      .requestGone,
      "session \(session) now asks another question than the one that was shown; not answered",
      hints: ["show the question with: oppi answer \(session.asOperand)"],
      details: ["requestId": .string(present.requestID), "sessionId": .string(session)]
    )
  }

  /// The given answer; `nil` to only show the question.
  func answer(to question: UserQuestion?) throws -> QuestionAnswer? {
    if options.isCancelled {
      if let question, question.asksForTrust { throw OppiError.cancellationAllows(question) }
      return .cancelled
    }
    guard let question else {
      // A question that no list has is known by its id alone.
      if options.isYesOrNo { return .confirmed(options.isYes) }
      guard options.values.count <= 1 else {
        throw OppiError(.badInput, "a question specified with --question takes one answer")
      }
      return options.values.first.map(QuestionAnswer.value)
    }
    let words = options.isYesOrNo ? [try consent(to: question)] : options.values
    guard target.way.takesOptionValues else {
      return words.isEmpty ? nil : try ShownQuestion.answer(to: question, by: words)
    }
    return try question.answer(
      by: words,
      toPart: options.question == question.id ? nil : options.question
    )
  }

  /// The choice of a yes-or-no question that --yes or --no stands for.
  private func consent(to question: UserQuestion) throws(OppiError) -> String {
    guard let consent = question.consent else {
      throw OppiError(
        .badInput,
        "question \(question.id) is not a yes-or-no question",
        hints: [OppiError.showing(question.id)]
      )
    }
    return (options.isYes ? consent.yes : consent.no).label
  }

  /// The question with its choices.
  func lines(of question: UserQuestion, width: Int) -> [StyledText] {
    target.way.takesOptionValues
      ? RequestText.rows(of: .question(question), width: width)
      : ShownQuestion.lines(ofAll: question, width: width)
  }
}

extension Answer.Options {
  fileprivate var isYesOrNo: Bool { isYes || isNo }
}

extension ShownQuestion {
  /// The answers to the parts of a question, in order.
  fileprivate static func answer(
    to question: UserQuestion,
    by values: [String]
  ) throws(OppiError) -> QuestionAnswer {
    if question.kind == .ask, !question.parts.isEmpty { try question.checkCount(of: values) }
    var answered: [String: PartAnswer] = [:]
    var skipped: Set<String> = []
    for value in values {
      guard let part = ShownQuestion(question, answered: answered) else {
        throw .severalAnswers
      }
      if value.isEmpty, let id = part.partID {
        answered[id] = .text("")
        skipped.insert(id)
        continue
      }
      guard let answer = part.answer(forText: value) else {
        let labels = part.choices.map { $0.label.safeLine(limit: 80) }.joined(separator: ", ")
        let kind = labels.isEmpty ? "valid answer" : "choice"
        let isAmbiguous = isNumbers(value) && part.isLabel(value.trimmed)
        let problem = isAmbiguous ? OptionNames.ambiguity : "is not a \(kind)"
        throw OppiError(
          .badInput,
          "'\(value.safeLine(limit: 60))' \(problem)",
          hints: labels.isEmpty ? [] : ["choices: \(labels)"]
        )
      }
      guard let id = part.partID, let text = part.partAnswer(in: answer) else {
        guard values.count == 1 else { throw .severalAnswers }
        return answer
      }
      answered[id] = text
    }
    return .choices(answered.filter { !skipped.contains($0.key) })
  }

  fileprivate static func lines(ofAll question: UserQuestion, width: Int) -> [StyledText] {
    var answered: [String: PartAnswer] = [:]
    var lines: [StyledText] = []
    while let part = ShownQuestion(question, answered: answered) {
      lines += part.lines(width: width)
      guard let id = part.partID else { break }
      answered[id] = .text("")
    }
    return lines
  }
}
