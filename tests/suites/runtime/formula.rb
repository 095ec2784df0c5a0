# What Homebrew gives to a formula, as far as that of hashcompat uses it: loads the formula, installs it below a directory from the
# unpacked sources in the working directory, and runs its test. ruby formula.rb FORMULA PREFIX PYTHON
require "json"
require "pathname"

class Pathname
  def install_symlink(sources)
    mkpath
    Array(sources).each { |source| (self + source.basename).make_symlink(source) }
  end
end

class << ENV
  def prepend_path(name, path) = self[name] = "#{path}:#{self[name]}"
end

class Formula
  FIELDS = {}

  class << self
    %i[desc homepage url sha256 license depends_on].each do |field|
      define_method(field) { |value| FIELDS[field] = value }
    end

    def test(&block) = define_method(:checked, &block)
  end

  def formula_opt_libexec(name) = name == FIELDS[:depends_on] ? Pathname(ARGV[2]) : raise("#{name}: no dependency")
  def libexec = Pathname(ARGV[1]) + "libexec"
  def bin = Pathname(ARGV[1]) + "bin"
  def system(*words) = Kernel.system(*words.map(&:to_s), exception: true)
  def shell_output(words) = `#{words} 2>/dev/null`
  def assert_match(wanted, text) = text.include?(wanted) || raise("#{text}: #{wanted} is not in it")
end

load ARGV[0]
formula = Hashcompat.new
formula.install
formula.checked
puts JSON.generate(Formula::FIELDS)
