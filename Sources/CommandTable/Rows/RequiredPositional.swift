// SPDX-License-Identifier: MIT

/// A positional argument that a command requires.
///
/// It precedes the other positional arguments; `run` receives its value.
public struct RequiredPositional<Value: ArgumentValue>: Sendable {
  let spec: ArgumentSpec

  /// Creates the argument; `name` in upper case is the placeholder.
  ///
  /// By default, completion offers the choices of the type.
  public init(_ name: String, completion: Completion? = nil, _ help: String) {
    spec = ArgumentSpec(
      .positional(required: true),
      name,
      of: Value.self,
      completion: completion,
      help: help
    )
  }

  /// Returns the value, the last one if there are several.
  func value(among matches: [ArgumentMatch]) throws(UsageError) -> Value {
    guard let match = matches.last(where: { $0.argument.hasLabel(of: spec) }) else {
      throw UsageError(.missingPositional(spec.placeholder))
    }
    return try match.value()
  }
}

private struct NoOptions: Sendable {}

extension CommandSpec {
  /// Declares a command with a required positional argument; `run` receives its value.
  ///
  /// The other parameters are those of a command without one.
  public init<Options: Sendable, Value: ArgumentValue>(
    _ name: String,
    aliases: [String] = [],
    _ summary: String,
    discussion: @autoclosure @escaping @Sendable () -> String = "",
    examples: [CommandExample] = [],
    exitStatuses: [Int32] = [],
    members: @autoclosure @escaping @Sendable () -> [HelpRow] = [],
    group: String = "",
    isHidden: Bool = false,
    positional: RequiredPositional<Value>,
    options: Options,
    arguments: @autoclosure @escaping @Sendable () -> [Argument<Options>],
    validate: (@Sendable (Options) throws(UsageError) -> Void)? = nil,
    run: @escaping @Sendable (Value, Options, Context) async throws -> Output
  ) {
    self.init(
      name,
      aliases: aliases,
      summary,
      discussion: discussion,
      examples: examples,
      exitStatuses: exitStatuses,
      members: members,
      group: group,
      isHidden: isHidden,
      specs: {
        let rows = arguments()
        let end = rows.firstIndex { $0.spec.role.isPositional } ?? rows.endIndex
        var specs = rows.specs(defaults: options)
        specs.insert(positional.spec, at: end)
        return specs
      },
      prepare: { (matches) throws(UsageError) in
        let value = try positional.value(among: matches)
        let filled = try arguments().filling(options, from: matches)
        try validate?(filled)
        return { context in try await run(value, filled, context) }
      }
    )
  }

  /// Declares a command whose only argument is a required positional.
  public init<Value: ArgumentValue>(
    _ name: String,
    aliases: [String] = [],
    _ summary: String,
    discussion: @autoclosure @escaping @Sendable () -> String = "",
    examples: [CommandExample] = [],
    exitStatuses: [Int32] = [],
    members: @autoclosure @escaping @Sendable () -> [HelpRow] = [],
    group: String = "",
    isHidden: Bool = false,
    positional: RequiredPositional<Value>,
    run: @escaping @Sendable (Value, Context) async throws -> Output
  ) {
    self.init(
      name,
      aliases: aliases,
      summary,
      discussion: discussion(),
      examples: examples,
      exitStatuses: exitStatuses,
      members: members(),
      group: group,
      isHidden: isHidden,
      positional: positional,
      options: NoOptions(),
      arguments: [],
      run: { value, _, context in try await run(value, context) }
    )
  }
}
