// SPDX-License-Identifier: MIT

/// The field that holds an argument's value.
///
/// The key path is created only for arguments that are on the command line.
public typealias Field<Root, Value> = @Sendable () -> any WritableKeyPath<Root, Value> & Sendable

/// An argument of a command, bound to the field of `Options` that holds its value.
///
/// The field's type determines the behaviour: an optional stays nil if the argument is not given,
/// an array takes every occurrence, and any other type keeps its default until the last occurrence
/// replaces it.
public struct Argument<Options>: Sendable {
  /// The argument without its storage, for help and completion; its default is not yet set.
  let spec: ArgumentSpec

  let defaultText: @Sendable (Options) -> String?

  /// Stores the occurrences in command-line order; there is at least one.
  let store: @Sendable ([ArgumentMatch], inout Options) throws(UsageError) -> Void
}

// MARK: - Options

extension Argument {
  /// Declares an option without a value: `--name` sets the field and `--no-name`, if negatable,
  /// clears it.
  public static func flag(
    _ name: String,
    short: Character? = nil,
    negatable: Bool = false,
    isHidden: Bool = false,
    _ field: @autoclosure @escaping Field<Options, Bool>,
    _ help: String
  ) -> Self {
    Self(
      spec: ArgumentSpec(
        .flag(negatable: negatable),
        name,
        short: short,
        isHidden: isHidden,
        help: help
      ),
      defaultText: { _ in nil },
      store: { (matches, options) throws(UsageError) in
        for match in matches { options[keyPath: field()] = !match.isNegated }
      }
    )
  }

  /// Declares an option whose value replaces the field's default.
  public static func option<Value: ArgumentValue>(
    _ name: String,
    short: Character? = nil,
    placeholder: String? = nil,
    completion: Completion? = nil,
    isHidden: Bool = false,
    _ field: @autoclosure @escaping Field<Options, Value>,
    _ help: String
  ) -> Self {
    .single(
      ArgumentSpec(
        .option,
        name,
        short: short,
        of: Value.self,
        placeholder: placeholder,
        completion: completion,
        isHidden: isHidden,
        help: help
      ),
      field
    )
  }

  /// Declares an option whose field stays nil if the option is not given.
  public static func option<Value: ArgumentValue>(
    _ name: String,
    short: Character? = nil,
    placeholder: String? = nil,
    completion: Completion? = nil,
    isHidden: Bool = false,
    _ field: @autoclosure @escaping Field<Options, Value?>,
    _ help: String
  ) -> Self {
    .optional(
      ArgumentSpec(
        .option,
        name,
        short: short,
        of: Value.self,
        placeholder: placeholder,
        completion: completion,
        isHidden: isHidden,
        help: help
      ),
      field
    )
  }

  /// Declares a repeatable option; the given values replace the default.
  public static func option<Value: ArgumentValue>(
    _ name: String,
    short: Character? = nil,
    placeholder: String? = nil,
    completion: Completion? = nil,
    isHidden: Bool = false,
    _ field: @autoclosure @escaping Field<Options, [Value]>,
    _ help: String
  ) -> Self {
    .repeated(
      ArgumentSpec(
        .option,
        name,
        short: short,
        of: Value.self,
        placeholder: placeholder,
        completion: completion,
        isRepeatable: true,
        isHidden: isHidden,
        help: help
      ),
      field
    )
  }
}

// MARK: - Positional arguments

extension Argument {
  /// Declares a positional argument that replaces the field's default.
  public static func positional<Value: ArgumentValue>(
    _ name: String,
    required: Bool = false,
    completion: Completion? = nil,
    _ field: @autoclosure @escaping Field<Options, Value>,
    _ help: String
  ) -> Self {
    .single(
      ArgumentSpec(
        .positional(required: required),
        name,
        of: Value.self,
        completion: completion,
        help: help
      ),
      field
    )
  }

  /// Declares a positional argument whose field stays nil if the argument is not given.
  public static func positional<Value: ArgumentValue>(
    _ name: String,
    completion: Completion? = nil,
    _ field: @autoclosure @escaping Field<Options, Value?>,
    _ help: String
  ) -> Self {
    .optional(
      ArgumentSpec(
        .positional(required: false),
        name,
        of: Value.self,
        completion: completion,
        help: help
      ),
      field
    )
  }

  /// Declares a positional argument that takes all remaining words; at least one if required.
  public static func positional<Value: ArgumentValue>(
    _ name: String,
    required: Bool = false,
    completion: Completion? = nil,
    _ field: @autoclosure @escaping Field<Options, [Value]>,
    _ help: String
  ) -> Self {
    .repeated(
      ArgumentSpec(
        .positional(required: required),
        name,
        of: Value.self,
        completion: completion,
        isRepeatable: true,
        help: help
      ),
      field
    )
  }
}

// MARK: - Storage

extension Argument {
  private static func single<Value: ArgumentValue>(
    _ spec: ArgumentSpec,
    _ field: @escaping Field<Options, Value>
  ) -> Self {
    Self(
      spec: spec,
      defaultText: { $0[keyPath: field()].argumentText },
      store: { (matches, options) throws(UsageError) in
        for match in matches { options[keyPath: field()] = try match.value() }
      }
    )
  }

  private static func optional<Value: ArgumentValue>(
    _ spec: ArgumentSpec,
    _ field: @escaping Field<Options, Value?>
  ) -> Self {
    Self(
      spec: spec,
      defaultText: { $0[keyPath: field()]?.argumentText },
      store: { (matches, options) throws(UsageError) in
        for match in matches { options[keyPath: field()] = try match.value() as Value }
      }
    )
  }

  private static func repeated<Value: ArgumentValue>(
    _ spec: ArgumentSpec,
    _ field: @escaping Field<Options, [Value]>
  ) -> Self {
    Self(
      spec: spec,
      defaultText: { options in
        let texts = options[keyPath: field()].compactMap(\.argumentText)
        return texts.isEmpty ? nil : texts.joined(separator: " ")
      },
      store: { (matches, options) throws(UsageError) in
        var values: [Value] = []
        for match in matches { values.append(try match.value()) }
        options[keyPath: field()] = values
      }
    )
  }
}
