// A collector with an OTLP receiver and one exporter: each request becomes a line of OTLP/JSON in a file.
package main

import (
	"context"
	"log"
	"os"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

type lines struct {
	component.StartFunc
	component.ShutdownFunc
	path string
	mu   sync.Mutex
}

func (l *lines) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (l *lines) ConsumeTraces(_ context.Context, traces ptrace.Traces) error {
	text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(traces)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	file, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.Write(append(text, '\n'))
	return err
}

type config struct {
	Path string `mapstructure:"path"`
}

func linesFactory() exporter.Factory {
	return exporter.NewFactory(component.MustNewType("lines"),
		func() component.Config { return &config{} },
		exporter.WithTraces(func(_ context.Context, _ exporter.Settings, c component.Config) (exporter.Traces, error) {
			return &lines{path: c.(*config).Path}, nil
		}, component.StabilityLevelStable))
}

func main() {
	factories := func() (otelcol.Factories, error) {
		receivers, err := otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory())
		if err != nil {
			return otelcol.Factories{}, err
		}
		exporters, err := otelcol.MakeFactoryMap[exporter.Factory](linesFactory())
		telemetry := otelconftelemetry.NewFactory()
		return otelcol.Factories{Receivers: receivers, Exporters: exporters, Telemetry: telemetry}, err
	}
	set := otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "otelcol", Version: "0"},
		Factories: factories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{
			ResolverSettings: confmap.ResolverSettings{
				DefaultScheme:     "yaml",
				ProviderFactories: []confmap.ProviderFactory{yamlprovider.NewFactory()},
			},
		},
	}
	if err := otelcol.NewCommand(set).Execute(); err != nil {
		log.Fatal(err)
	}
}
