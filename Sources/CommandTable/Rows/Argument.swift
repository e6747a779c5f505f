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

  /// Declares an option that other commands have: here, using it is an error with this message.
  ///
  /// Help and completion omit it.
  public static func refused(_ name: String, _ reason: String) -> Self {
    Self(
      spec: ArgumentSpec(
        .flag(negatable: false),
        name,
        short: nil,
        isHidden: true,
        refusal: reason,
        help: "Is refused"
      ),
      defaultText: { _ in nil },
      store: { _, _ in }
    )
  }

  /// Declares an option with a value.
  ///
  /// By default, the placeholder and the completion are those of the value's type.
  public static func option<Storage: ArgumentStorage>(
    _ name: String,
    short: Character? = nil,
    placeholder: String? = nil,
    completion: Completion? = nil,
    isHidden: Bool = false,
    _ field: @autoclosure @escaping Field<Options, Storage>,
    _ help: String
  ) -> Self {
    let spec = ArgumentSpec(
      .option,
      name,
      short: short,
      of: Storage.Parsed.self,
      placeholder: placeholder,
      completion: completion,
      isRepeatable: Storage.keepsEveryOccurrence,
      isHidden: isHidden,
      help: help
    )
    return Self(spec, field)
  }

  /// Declares a positional argument; one that is stored in an array takes all remaining words, at
  /// least one if required.
  public static func positional<Storage: ArgumentStorage>(
    _ name: String,
    required: Bool = false,
    completion: Completion? = nil,
    _ field: @autoclosure @escaping Field<Options, Storage>,
    _ help: String
  ) -> Self {
    let spec = ArgumentSpec(
      .positional(required: required),
      name,
      of: Storage.Parsed.self,
      completion: completion,
      isRepeatable: Storage.keepsEveryOccurrence,
      help: help
    )
    return Self(spec, field)
  }

  private init<Storage: ArgumentStorage>(
    _ spec: ArgumentSpec,
    _ field: @escaping Field<Options, Storage>
  ) {
    self.spec = spec
    defaultText = { $0[keyPath: field()].textAsDefault }
    store = { (matches, options) throws(UsageError) in
      for (index, match) in matches.enumerated() {
        options[keyPath: field()].store(try match.value(), isFirst: index == 0)
      }
    }
  }
}
