// SPDX-License-Identifier: MIT

/// The field that holds an argument's value.
///
/// The key path is created only for arguments that are on the command line.
package typealias Field<Root, Value> = @Sendable () -> any WritableKeyPath<Root, Value> & Sendable

/// An argument of a command, bound to the field of `Options` that holds its value.
///
/// The field's type determines the behaviour: an optional stays nil if the argument is not given,
/// an array takes every occurrence, and any other type keeps its default until the last occurrence
/// replaces it.
package struct Argument<Options>: Sendable {
  /// The argument without its storage, for help and completion; its default is not yet set.
  let spec: ArgumentSpec

  let defaultText: @Sendable (Options) -> String?

  /// Stores the occurrences in command-line order; there is at least one.
  let store: @Sendable ([ArgumentMatch], inout Options) throws(UsageError) -> Void

  func fill(_ options: inout Options, from matches: [ArgumentMatch]) throws(UsageError) {
    let own = matches.filter { $0.argument.hasLabel(of: spec) }
    if !own.isEmpty { try store(own, &options) }
  }
}

extension Argument {
  /// Declares an option without a value, which sets the field.
  ///
  /// With `joinsPositional`, a value after an equals sign is the next positional argument.
  package static func flag(
    _ name: String,
    short: Character? = nil,
    isHidden: Bool = false,
    joinsPositional: Bool = false,
    _ field: @autoclosure @escaping Field<Options, Bool>,
    _ help: String
  ) -> Self {
    Self(
      spec: ArgumentSpec(
        role: .flag,
        name: name,
        short: short,
        isHidden: isHidden,
        joinsPositional: joinsPositional,
        help: help
      ),
      defaultText: { _ in nil },
      store: { _, options in options[keyPath: field()] = true }
    )
  }

  /// Declares an option that other commands have: here, using it is an error with this message.
  ///
  /// Help and completion omit it.
  package static func refused(_ name: String, _ reason: String) -> Self {
    Self(
      spec: ArgumentSpec(
        role: .flag,
        name: name,
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
  package static func option<Storage: ArgumentStorage>(
    _ name: String,
    short: Character? = nil,
    placeholder: String? = nil,
    completion: Completion? = nil,
    isHidden: Bool = false,
    _ field: @autoclosure @escaping Field<Options, Storage>,
    _ help: String
  ) -> Self {
    let spec = ArgumentSpec(
      role: .option,
      name: name,
      short: short,
      type: Storage.Parsed.self,
      givenPlaceholder: placeholder,
      givenCompletion: completion,
      isRepeatable: Storage.keepsEveryOccurrence,
      isHidden: isHidden,
      help: help
    )
    return Self(spec, field)
  }

  /// Declares a positional argument; one that is stored in an array takes all remaining words, at
  /// least one if required.
  ///
  /// A field with the wrapper `Required` is always required.
  package static func positional<Storage: ArgumentStorage>(
    _ name: String,
    required: Bool = false,
    completion: Completion? = nil,
    _ field: @autoclosure @escaping Field<Options, Storage>,
    _ help: String
  ) -> Self {
    let spec = ArgumentSpec(
      role: .positional(required: required || Storage.isRequired),
      name: name,
      type: Storage.Parsed.self,
      givenCompletion: completion,
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

extension Array {
  /// Returns the rows without storage, with the defaults of the options.
  func specs<Options: Sendable>(defaults: Options) -> [ArgumentSpec]
  where Element == Argument<Options> {
    map { row in
      var spec = row.spec
      spec.makeDefaultText = { row.defaultText(defaults) }
      return spec
    }
  }

  /// Returns the defaults, overwritten with the values of the command line.
  func filling<Options>(
    _ defaults: Options,
    from matches: [ArgumentMatch]
  ) throws(UsageError) -> Options where Element == Argument<Options> {
    var options = defaults
    for row in self {
      try row.fill(&options, from: matches)
    }
    return options
  }
}

/// A field that holds an argument's value: the value itself, an optional, an array or `Required`.
package protocol ArgumentStorage: Sendable {
  /// The type that parses a word of the command line.
  associatedtype Parsed: ArgumentValue

  /// Whether all occurrences are used rather than the last one.
  static var keepsEveryOccurrence: Bool { get }

  /// Whether the command line must contain the argument.
  static var isRequired: Bool { get }

  /// The text of a default in help; nil omits it.
  var textAsDefault: String? { get }

  /// Stores the next occurrence; the first one replaces the default.
  mutating func store(_ value: Parsed, isFirst: Bool)
}

extension ArgumentStorage {
  package static var keepsEveryOccurrence: Bool { false }

  package static var isRequired: Bool { false }

  package var textAsDefault: String? { nil }
}

extension ArgumentValue {
  package var textAsDefault: String? { argumentText }

  package mutating func store(_ value: Self, isFirst: Bool) {
    self = value
  }
}

extension Optional: ArgumentStorage where Wrapped: ArgumentValue {
  package var textAsDefault: String? { self?.argumentText }

  package mutating func store(_ value: Wrapped, isFirst: Bool) {
    self = value
  }
}

extension Array: ArgumentStorage where Element: ArgumentValue {
  package static var keepsEveryOccurrence: Bool { true }

  /// The texts of the values, separated by spaces.
  package var textAsDefault: String? {
    let texts = compactMap(\.argumentText)
    return texts.isEmpty ? nil : texts.joined(separator: " ")
  }

  package mutating func store(_ value: Element, isFirst: Bool) {
    if isFirst { self = [] }
    append(value)
  }
}

/// A field without a default, for a positional argument that the command line must contain.
///
/// The argument's row names the field with a dollar sign: `.positional("key", \.$key, "Its key")`.
/// The parser rejects a line without the argument before the command reads the field.
@propertyWrapper
package struct Required<Value: ArgumentValue>: ArgumentStorage {
  private var given: Value?

  /// Creates a field whose value the command line provides.
  package init() {}

  /// Creates a field with a value.
  package init(wrappedValue: Value) {
    given = wrappedValue
  }

  package var wrappedValue: Value {
    get {
      guard let given else { preconditionFailure("a required argument has no row in the table") }
      return given
    }
    set { given = newValue }
  }

  /// The field itself, for the argument's row.
  package var projectedValue: Self {
    get { self }
    set { self = newValue }
  }

  /// The command line must contain the argument.
  package static var isRequired: Bool { true }

  package mutating func store(_ value: Value, isFirst: Bool) {
    given = value
  }
}

extension Required: Equatable where Value: Equatable {}
